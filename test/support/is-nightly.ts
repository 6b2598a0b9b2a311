/** True in a `*.nightly.spec.ts` file, which imports the tests of another file to run them with more variants. */
export const isNightly = expect.getState().testPath!.endsWith('.nightly.spec.ts');
