import { defineConfig } from 'tsup';

/** Run in a package's folder: an ESM bundle with its types for each entry point and for each program that is started; everything installed stays an import. */
export default defineConfig({
  entry: ['src/index.ts', 'src/*/index.ts', 'src/*-program.ts'],
  format: 'esm',
  target: 'es2023',
  platform: 'node',
  dts: true,
  clean: true,
  sourcemap: true,
  treeshake: true,
});
