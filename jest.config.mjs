const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    {
      jsc: {
        target: 'es2022',
        parser: { syntax: 'typescript', decorators: true },
        transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      },
      module: { type: 'es6' },
    },
  ],
};

const shared = {
  testEnvironment: 'node',
  // "source" makes package.json's `imports` (#domain, …) resolve to the TypeScript sources.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform,
};

/** Tests from outside: real processes on real servers. */
const outside = {
  ...shared,
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};

/** What takes most of the machine, or minds how much of it there is, runs apart from the rest (scripts/test.mjs). */
const BROWSERS = '*browser*';

/** @type {import('jest').Config} */
export default {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{apps,libs}/**/*.spec.ts'] },
    {
      ...outside,
      displayName: 'e2e',
      testMatch: [`<rootDir>/test/{e2e,contract}/**/!(${BROWSERS}).spec.ts`],
    },
    { ...outside, displayName: 'browser', testMatch: [`<rootDir>/test/e2e/**/${BROWSERS}.spec.ts`] },
    { ...outside, displayName: 'faults', testMatch: ['<rootDir>/test/faults/**/*.spec.ts'] },
  ],
  // A guard against what never ends, not a measure: nothing is judged by how long it took.
  testTimeout: 120_000,
};
