export { exitCodes, runCli } from './program.ts';
