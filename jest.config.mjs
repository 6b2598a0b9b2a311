const swc = (parser, transform) => [
  '@swc/jest',
  {
    jsc: { target: 'es2022', parser: { syntax: 'typescript', ...parser }, transform },
    module: { type: 'es6' },
  },
];

const transform = {
  '^.+\\.ts$': swc(
    { decorators: true },
    { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  ),
  '^.+\\.tsx$': swc({ tsx: true }, { react: { runtime: 'automatic' } }),
};

const shared = {
  testEnvironment: '<rootDir>/test/support/base-environment.mjs',
  // Resolves @gatehouse/* to the TypeScript sources of libs/*, with the condition "source" of their
  // `exports`.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform,
};

/** Black-box tests: real processes with real servers. */
const blackBox = {
  ...shared,
  testEnvironment: '<rootDir>/test/support/test-environment.mjs',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};

/** Returns a project of the test files with this suffix (CONTRIBUTING.md, "Which tests run when"). */
const projectBySuffix = (displayName) => ({
  ...blackBox,
  displayName,
  testMatch: [`<rootDir>/test/**/*.${displayName}.spec.ts`],
});

/** @type {import('jest').Config} */
export default {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{apps,libs,packages}/**/*.spec.ts'] },
    { ...blackBox, displayName: 'e2e', testMatch: ['<rootDir>/test/{e2e,contract}/**/+([^.]).spec.ts'] },
    projectBySuffix('dedicated'),
    projectBySuffix('browser'),
    { ...blackBox, displayName: 'faults', testMatch: ['<rootDir>/test/faults/**/+([^.]).spec.ts'] },
    projectBySuffix('nightly'),
  ],
  // Ends hung tests. It is not a measurement: no test depends on elapsed time.
  testTimeout: 600_000,
};
