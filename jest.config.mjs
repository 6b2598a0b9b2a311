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
  // Resolves @gatehouse/* to the TypeScript sources of libs/*, through the condition "source" in their `exports`.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform,
};

/** Settings for black-box tests, which run real processes with real servers. */
const blackBox = {
  ...shared,
  testEnvironment: '<rootDir>/test/support/test-environment.mjs',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};

/** Returns a project with the test files in a folder of test/ that have no suffix. */
const projectByFolder = (displayName) => ({
  ...blackBox,
  displayName,
  testMatch: [`<rootDir>/test/${displayName}/**/+([^.]).spec.ts`],
});

/** Returns a project with the test files that have a suffix (docs/development/tests.md). */
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
  testSequencer: '<rootDir>/test/support/longest-first-sequencer.mjs',
  // Only ends hung tests. No test depends on this limit.
  testTimeout: 600_000,
};
