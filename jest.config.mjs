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
  // Resolves @gatehouse/* to the TypeScript sources of libs/*, by the condition "source" of their `exports`.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform,
};

/** Tests from outside: real processes on real servers. */
const outside = {
  ...shared,
  testEnvironment: '<rootDir>/test/support/test-environment.mjs',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};

/** A project of the files whose name says how they run (CONTRIBUTING.md, "Which tests run when"). */
const kind = (displayName) => ({
  ...outside,
  displayName,
  testMatch: [`<rootDir>/test/**/*.${displayName}.spec.ts`],
});

/** @type {import('jest').Config} */
export default {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{apps,libs}/**/*.spec.ts'] },
    { ...outside, displayName: 'e2e', testMatch: ['<rootDir>/test/{e2e,contract}/**/+([^.]).spec.ts'] },
    kind('dedicated'),
    kind('browser'),
    { ...outside, displayName: 'faults', testMatch: ['<rootDir>/test/faults/**/+([^.]).spec.ts'] },
    kind('timed'),
    kind('nightly'),
  ],
  // A guard against what never ends, not a measure: nothing is judged by how long it took.
  testTimeout: 600_000,
};
