/**
 * The layers in docs/architecture.md: apps → auth → persistence → platform → domain. Each layer may import any layer to
 * its right. Other layers import a lib only through its entry point, such as `@gatehouse/domain`, which is its
 * src/index.ts.
 */
const SPEC = '[.]spec[.]ts$';
const NIGHTLY_SPEC = '[.]nightly[.]spec[.]ts$';

/** Matches a package, wherever npm installed it. */
const npm = (name) => `(^|/)node_modules/${name}/`;

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const layers = [
  ['domain', 'platform|persistence|auth'],
  ['platform', 'persistence|auth'],
  ['persistence', 'auth'],
].map(([lib, higherLibs]) => ({
  name: `${lib}-imports-no-higher-layer`,
  comment: 'apps → auth → persistence → platform → domain',
  severity: 'error',
  from: { path: `^libs/${lib}/` },
  to: { path: `^(apps/|libs/(${higherLibs})/)` },
}));

/**
 * The folders of each part by tier, lowest first (docs/architecture.md). A folder may import from its own and lower
 * tiers, but without cycles.
 * @type {Record<string, Record<string, string[]>>}
 */
const parts = {
  'apps/api/src': {
    server: ['http', 'console', 'reference', 'running-apis'],
    records: [
      'audit',
      'events',
      'webhooks',
      'mail',
      'mail-templates',
      'one-time-tokens',
      'search',
      'change-records',
    ],
    accounts: ['accounts', 'identities', 'sessions', 'passwords', 'passkeys', 'factors', 'email'],
    resources: ['customers', 'imports', 'organizations', 'api-keys', 'billing'],
    'sign-in': ['sign-in', 'legacy-sign-in', 'identity-providers', 'email-codes', 'sign-in-exchanges'],
    installation: ['operators', 'projects', 'overview', 'health', 'pages', 'bootstrap', 'doctor'],
  },
  'apps/webhook-worker/src': {
    work: ['periodic-job', 'delivery', 'endpoint-health', 'mail', 'domains', 'overview'],
    supervision: ['recovery', 'retention', 'health', 'alerts'],
  },
  'libs/domain/src': {
    base: ['values', 'errors', 'urls', 'targets', 'languages', 'limits', 'events', 'alerts', 'mails'],
    customers: ['customers', 'factors', 'passkeys', 'search', 'imports'],
    projects: ['api-keys', 'sessions', 'projects', 'identity-providers', 'organizations', 'operators'],
    catalogs: ['webhooks', 'event-catalog', 'overview', 'audit', 'timeline'],
  },
  'libs/platform/src': {
    base: ['runtime', 'clock', 'config', 'batching'],
    logging: ['tracing', 'logging', 'crypto'],
    services: ['http', 'queue', 'limits', 'mail', 'passkeys', 'metrics'],
    programs: ['programs'],
  },
  'apps/console/src': {
    base: ['http', 'components', 'charts', 'lists'],
    session: ['session', 'commands', 'sign-in'],
    system: ['audit', 'mails', 'mailbox', 'health'],
    webhooks: ['batches', 'deliveries', 'dead-letters', 'endpoints', 'events'],
    identity: ['customers', 'projects', 'organizations', 'operators', 'account'],
    overview: ['overview'],
    app: ['app'],
  },
  'libs/persistence/src': {
    base: ['sql', 'migrations', 'database', 'lists', 'failed-attempts'],
    resources: [
      ...['installation', 'signing-keys', 'encryption', 'host-names', 'idempotency', 'alerts'],
      ...['organizations', 'projects', 'api-keys', 'events', 'webhooks', 'mails', 'mail-templates', 'audit'],
    ],
    customers: ['customers', 'imports'],
    'sign-in': [
      ...['passkeys', 'factors', 'sessions', 'login-attempts', 'one-time-tokens', 'email-codes', 'operators'],
      ...['identity-providers', 'sign-in-flows', 'sign-in-tokens', 'sign-in-exchanges', 'legacy-sign-in'],
      'accounts',
    ],
    overviews: ['customer-data', 'search', 'overview', 'health', 'schema'],
  },
};

const alternatives = (names) => `(${names.join('|')})`;

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const order = Object.entries(parts).flatMap(([part, tiers]) => {
  const tierFolders = Object.values(tiers);
  return [
    {
      name: `folders-of-${part.replaceAll('/', '-')}-have-a-tier`,
      comment: 'Add a new folder to the lowest tier that may import what the folder needs.',
      severity: 'error',
      from: { path: `^${part}/[^/]+/`, pathNot: `^${part}/${alternatives(tierFolders.flat())}/` },
      to: {},
    },
    {
      name: `folders-of-${part.replaceAll('/', '-')}-import-no-root-file`,
      comment:
        'Files outside folders compose the folders. Move what a folder needs to a folder in a lower tier.',
      severity: 'error',
      from: { path: `^${part}/[^/]+/` },
      to: { path: `^${part}/[^/]+$` },
    },
    ...Object.keys(tiers)
      .slice(0, -1)
      .map((tier, index) => ({
        name: `${tier}-of-${part.replaceAll('/', '-')}-imports-no-higher-tier`,
        severity: 'error',
        from: { path: `^${part}/${alternatives(tiers[tier])}/` },
        to: { path: `^${part}/${alternatives(tierFolders.slice(index + 1).flat())}/` },
      })),
  ];
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layers,
    ...order,
    {
      name: 'libs-import-no-app-and-no-test',
      severity: 'error',
      from: { path: '^libs/', pathNot: SPEC },
      to: { path: '^(apps|test|scripts)/' },
    },
    {
      name: 'packages-import-no-app-and-no-lib',
      comment: 'Packages use only the API description, docs/openapi.json.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(apps|libs)/' },
    },
    {
      name: 'apps-import-no-test',
      severity: 'error',
      from: { path: '^apps/', pathNot: SPEC },
      to: { path: '^(test|scripts)/' },
    },
    {
      name: 'apps-import-no-other-app',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'worker-imports-no-auth',
      severity: 'error',
      from: { path: '^apps/webhook-worker/' },
      to: { path: '^libs/auth/' },
    },
    {
      name: 'libs-only-through-their-entry-point',
      comment: 'The public API of a lib is its src/index.ts; all other files are internal.',
      severity: 'error',
      from: { path: '^(apps|test)/' },
      to: { path: '^libs/', pathNot: '^libs/[^/]+/src/index[.]ts$' },
    },
    {
      name: 'other-libs-only-through-their-entry-point',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/', pathNot: ['^libs/$1/', '^libs/[^/]+/src/index[.]ts$'] },
    },
    ...['^(apps|test)/', '^libs/([^/]+)/'].map((path) => ({
      name: 'libs-only-by-package-name',
      comment: "Import a lib as '@gatehouse/lib', never by a relative path to its entry point.",
      severity: 'error',
      from: { path },
      to: {
        path: '^libs/',
        ...(path.startsWith('^libs') ? { pathNot: '^libs/$1/' } : {}),
        dependencyTypesNot: ['aliased-workspace'],
      },
    })),
    {
      name: 'no-import-of-own-entry-point',
      comment: 'Use relative imports within a lib: importing its entry point would create a cycle.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/$1/src/index[.]ts$' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-cycles-between-folders',
      comment: 'Move what both folders need to a lower folder, or what needs both to a higher one.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(apps|libs|packages)/[^/]+/src/.' },
      to: { circular: true },
    },
    {
      name: 'no-unresolvable-imports',
      comment:
        'Scripts import files in dist/, which exist only after the build. The Expo packages are installed only in examples/expo.',
      severity: 'error',
      from: { pathNot: '^(packages/expo/src/index[.]native[.]ts$|examples/expo/)' },
      to: { couldNotResolve: true, pathNot: '^[.][.]/dist/' },
    },

    {
      name: 'sql-only-in-persistence',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '^libs/persistence/' },
      to: { path: [npm('typeorm'), npm('@nestjs/typeorm'), npm('pg'), npm('@types/pg')] },
    },
    {
      name: 'no-typeorm-in-tests',
      comment: 'Tests may query the database with pg, but not through the mapping that they test.',
      severity: 'error',
      from: { path: '^test/' },
      to: { path: [npm('typeorm'), npm('@nestjs/typeorm')] },
    },
    {
      name: 'no-framework-in-domain',
      severity: 'error',
      from: { path: '^libs/domain/' },
      to: { path: npm('@nestjs') },
    },
    {
      name: 'axios-only-in-the-outbound-client',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '^libs/platform/src/http/' },
      to: { path: npm('axios') },
    },
    {
      name: 'opentelemetry-only-in-tracing',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '^libs/platform/src/tracing/' },
      to: { path: npm('@opentelemetry') },
    },
    {
      name: 'tracing-only-on-demand',
      comment: 'Processes without traces must not load OpenTelemetry: use current-tracing.ts.',
      severity: 'error',
      from: { pathNot: SPEC },
      to: {
        path: '^libs/platform/src/tracing/tracing[.]ts$',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'stripe-only-in-billing',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '^apps/api/src/billing/' },
      to: { path: npm('stripe') },
    },
    {
      name: 'bullmq-only-in-the-queue',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '^(libs/platform/src/queue|apps/webhook-worker)/' },
      to: { path: [npm('bullmq'), npm('@nestjs/bullmq')] },
    },
    {
      name: 'only-services-and-responses-of-other-features',
      comment:
        'A feature of the api may use what another feature exports: a service, its events, the response class of its resource, request fields (dto/*.fields.ts) or a cookie, but never its controllers, requests or helpers. Exceptions: http/, sign-in/current-proof.ts and the identity protocol interface.',
      severity: 'error',
      // The unit test of a service creates the dependencies of the service.
      from: { path: '^apps/api/src/([^/]+)/', pathNot: '[.](module|spec)[.]ts$' },
      to: {
        path: '^apps/api/src/[^/]+/',
        pathNot: [
          '^apps/api/src/($1|http)/',
          '^apps/api/src/.+([.]service|-events)[.]ts$',
          '^apps/api/src/[^/]+/dto/[^/]+[.](response|fields)[.]ts$',
          '^apps/api/src/[^/]+/[^/]+-cookie[.]ts$',
          '^apps/api/src/sign-in/current-proof[.]ts$',
          '^apps/api/src/identity-providers/protocols/identity-protocol[.]ts$',
        ],
      },
    },
    {
      name: 'modules-import-modules',
      comment:
        'A module imports the module that exports a service of another folder, not the service itself.',
      severity: 'error',
      from: { path: '^apps/api/src/([^/]+)/[^/]+[.]module[.]ts$' },
      to: { path: '^apps/api/src/[^/]+/', pathNot: ['^apps/api/src/$1/', '[.]module[.]ts$'] },
    },
    {
      name: 'only-modules-import-modules',
      severity: 'error',
      from: { path: '^apps/api/src/[^/]+/', pathNot: '[.]module[.]ts$' },
      to: { path: '^apps/api/src/.+[.]module[.]ts$' },
    },
    {
      name: 'operator-modules-only-with-the-console',
      comment: 'api.module.ts loads them only with the console; another import would always load them.',
      severity: 'error',
      from: { pathNot: '^apps/api/src/(operator-modules|pages/pages[.]operator[.]module)[.]ts$' },
      to: {
        path: '^apps/api/src/(.+[.]operator|operators/operator-routes|overview/overview)[.]module[.]ts$',
      },
    },
    {
      name: 'console-imports-no-server-code',
      comment:
        'The console runs in a browser. It uses only types that are generated from docs/operator-openapi.json.',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: '^(libs|test|scripts)/' },
    },
    {
      name: 'console-imports-only-shared-code-of-packages',
      comment:
        'The console reads files and renders text with the same code as the command line (docs/adr/0108-one-csv-reader.md).',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: '^packages/', pathNot: '^packages/cli/src/console-shared/' },
    },
    {
      name: 'console-shared-code-runs-in-browsers',
      comment: 'The console contains this code (docs/adr/0108-one-csv-reader.md).',
      severity: 'error',
      from: { path: '^packages/cli/src/console-shared/', pathNot: SPEC },
      to: {
        pathNot: ['^packages/cli/src/console-shared/', npm('papaparse'), npm('@types/papaparse')],
      },
    },
    {
      name: 'console-screens-only-in-the-router',
      comment: 'The router loads each screen on its first visit; another import would load it earlier.',
      severity: 'error',
      from: { path: '^apps/console/', pathNot: '^apps/console/src/app/router[.]tsx$' },
      to: { path: '^apps/console/src/.+[.]screen[.]tsx$' },
    },
    {
      name: 'http-imports-no-feature',
      comment: 'All features import http/, so an import of a feature would create a cycle.',
      severity: 'error',
      from: { path: '^apps/api/src/http/' },
      to: { path: '^apps/api/src/', pathNot: '^apps/api/src/http/' },
    },
    {
      name: 'no-dev-dependency-in-the-product',
      comment: 'Does not apply to the console, whose build bundles its imports.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['^apps/console/', SPEC] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-undeclared-package',
      comment: 'It is installed only as a dependency of another package, which may drop it at any time.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-imports-of-specs',
      severity: 'error',
      from: { pathNot: NIGHTLY_SPEC },
      to: { path: SPEC },
    },
    {
      name: 'nightly-imports-of-its-spec',
      comment:
        'A nightly file may only repeat the tests in the file with the same name, with more variants (is-nightly.ts).',
      severity: 'error',
      from: { path: `^(.+)${NIGHTLY_SPEC}` },
      to: { path: SPEC, pathNot: '^$1([.](dedicated|browser))?[.]spec[.]ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    // As in any Nest monorepo, the root package.json declares the dependencies of apps/ and libs/.
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.d.ts'],
    },
  },
};
