export { piMachine } from './machine.ts';
export { piManualCompaction, testedVersions } from './options.ts';
