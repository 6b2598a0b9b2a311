/** True in a `*.nightly.spec.ts` file, which imports another file's tests to run them with more variants. */
export const isNightly = expect.getState().testPath!.endsWith('.nightly.spec.ts');

/** Defines a test that only a `*.nightly.spec.ts` file runs. */
export const nightlyIt: (title: string, test: () => Promise<void>) => void = (title, test) => {
  if (isNightly) it(title, test);
};
