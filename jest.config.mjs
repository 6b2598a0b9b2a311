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

/** Returns a project of the test files without a suffix in this folder. */
const projectByFolder = (displayName) => ({
  ...blackBox,
  displayName,
  testMatch: [`<rootDir>/test/${displayName}/**/+([^.]).spec.ts`],
});

/** Returns a project of the test files with this suffix (docs/development/tests.md). */
const projectBySuffix = (displayName) => ({
  ...blackBox,
  displayName,
  testMatch: [`<rootDir>/test/**/*.${displayName}.spec.ts`],
});

/** @type {import('jest').Config} */
export default {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{apps,libs,packages}/**/*.spec.ts'] },
    ...['e2e', 'contract', 'clients', 'faults'].map(projectByFolder),
    projectBySuffix('dedicated'),
    projectBySuffix('browser'),
    projectBySuffix('nightly'),
  ],
  // Ends hung tests. It is not a measurement: no test depends on elapsed time.
  testTimeout: 600_000,
};
