/**
 * True in a `*.nightly.spec.ts` file that imports the tests of another file to run them with more variants.
 */
export const isNightly = expect.getState().testPath!.endsWith('.nightly.spec.ts');
