/** True in a `*.nightly.spec.ts` file, which imports another file's tests to run them with more variants. */
export const isNightly = expect.getState().testPath!.endsWith('.nightly.spec.ts');
