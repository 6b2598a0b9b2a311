/**
 * The one-way street of docs/architecture: apps → auth → persistence → platform → domain, each to any layer on
 * its right, and from outside only through a lib's door (`@gatehouse/domain` …, which is its src/index.ts).
 */
const SPEC = '[.]spec[.]ts$';

/** A package, wherever npm has put it. */
const npm = (name) => `(^|/)node_modules/${name}/`;

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const layers = [
  ['domain', 'platform|persistence|auth'],
  ['platform', 'persistence|auth'],
  ['persistence', 'auth'],
].map(([lib, above]) => ({
  name: `${lib}-imports-nothing-above-it`,
  comment: 'apps → auth → persistence → platform → domain',
  severity: 'error',
  from: { path: `^libs/${lib}/` },
  to: { path: `^(apps/|libs/(${above})/)` },
}));

/** The folders of the api. Each may import only those below it (docs/architecture.md). */
const nouns = [
  'bootstrap',
  'pages',
  'health',
  'imports',
  'projects',
  'sign-in',
  'customers',
  'organizations',
  'api-keys',
  'overview',
  'operators',
  'email',
  'passwords',
  'one-time-tokens',
  'sessions',
  'events',
  'webhooks',
  'search',
  'billing',
  'mail',
  'audit',
  'reference',
  'console',
  'http',
];

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const order = [
  {
    name: 'every-folder-of-the-api-has-a-place',
    comment: 'Add a new folder to the list of nouns, above everything that it imports.',
    severity: 'error',
    from: { path: '^apps/api/src/[^/]+/', pathNot: `^apps/api/src/(${nouns.join('|')})/` },
    to: {},
  },
  ...nouns.slice(1).map((noun, index) => ({
    name: `${noun}-imports-no-folder-above-it`,
    comment: 'The list of nouns shows which folder of the api may import which.',
    severity: 'error',
    from: { path: `^apps/api/src/${noun}/` },
    to: { path: `^apps/api/src/(${nouns.slice(0, index + 1).join('|')})/` },
  })),
];

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
      comment: 'Packages use the API by its document: docs/openapi.json.',
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
      name: 'apps-never-import-each-other',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'worker-knows-no-auth',
      severity: 'error',
      from: { path: '^apps/webhook-worker/' },
      to: { path: '^libs/auth/' },
    },
    {
      name: 'through-the-door',
      comment: 'What a lib shows stands in its src/index.ts; everything else is its own business.',
      severity: 'error',
      from: { path: '^(apps|test)/' },
      to: { path: '^libs/', pathNot: '^libs/[^/]+/src/index[.]ts$' },
    },
    {
      name: 'through-the-door-between-libs',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/', pathNot: ['^libs/$1/', '^libs/[^/]+/src/index[.]ts$'] },
    },
    ...['^(apps|test)/', '^libs/([^/]+)/'].map((path) => ({
      name: 'door-by-its-name',
      comment: "A lib is imported as '@gatehouse/lib' from outside, never by a relative path to its index.",
      severity: 'error',
      from: { path },
      to: {
        path: '^libs/',
        ...(path.startsWith('^libs') ? { pathNot: '^libs/$1/' } : {}),
        dependencyTypesNot: ['aliased-workspace'],
      },
    })),
    {
      name: 'not-through-the-own-door',
      comment: 'Inside a lib imports are relative: its door would make a cycle.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/$1/src/index[.]ts$' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'resolvable',
      comment: 'Scripts load what they have built first; before that it is not there to be found.',
      severity: 'error',
      from: {},
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
      comment: 'A test may look into the database with pg; it never shares the mapping it judges.',
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
      name: 'stripe-only-in-billing',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '^apps/api/src/billing/' },
      to: { path: npm('stripe') },
    },
    {
      name: 'bullmq-only-behind-the-queue',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '^(libs/platform/src/queue|apps/webhook-worker)/' },
      to: { path: [npm('bullmq'), npm('@nestjs/bullmq')] },
    },
    {
      name: 'only-services-and-responses-of-other-features',
      comment:
        'A feature of the api may use what another one exports: a service, its events, or the response class of its resource. Never its controller, its requests or its helpers. Exceptions: http/, and the request for an email with a link.',
      severity: 'error',
      from: { path: '^apps/api/src/([^/]+)/', pathNot: '[.]module[.]ts$' },
      to: {
        path: '^apps/api/src/[^/]+/',
        pathNot: [
          '^apps/api/src/($1|http)/',
          '^apps/api/src/[^/]+/[^/]+([.]service|-events)[.]ts$',
          '^apps/api/src/[^/]+/dto/[^/]+[.]response[.]ts$',
          '^apps/api/src/one-time-tokens/dto/email-link[.]request[.]ts$',
        ],
      },
    },
    {
      name: 'modules-import-modules',
      comment: 'A module takes the services of another noun from its module, which exports them.',
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
      comment: 'api.module.ts loads them only with the console; another import would load them always.',
      severity: 'error',
      from: { pathNot: '^apps/api/src/operator-modules[.]ts$' },
      to: {
        path: '^apps/api/src/(.+[.]operator|health/health|operators/operator-routes|overview/overview)[.]module[.]ts$',
      },
    },
    {
      name: 'console-knows-the-api-by-its-document',
      comment:
        'It runs in a browser: no lib, and no code of the api but types made of docs/operator-openapi.json.',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: '^(libs|test|scripts)/' },
    },
    {
      name: 'console-screens-stand-alone',
      comment:
        'A screen uses the common ground and its own folder; only the router and the shell know screens.',
      severity: 'error',
      from: { path: '^apps/console/src/([^/]+)/', pathNot: '^apps/console/src/app/' },
      to: {
        path: '^apps/console/src/[^/]+/',
        pathNot: '^apps/console/src/($1|app|http|lists|parts|charts)/',
      },
    },
    {
      name: 'console-parts-know-no-app',
      severity: 'error',
      from: { path: '^apps/console/src/(http|lists|parts|charts)/' },
      to: { path: '^apps/console/src/', pathNot: '^apps/console/src/(http|lists|parts|charts)/' },
    },
    {
      name: 'http-knows-no-feature',
      comment: 'The common ground stands below every feature, or it would be a cycle waiting to happen.',
      severity: 'error',
      from: { path: '^apps/api/src/http/' },
      to: { path: '^apps/api/src/', pathNot: '^apps/api/src/http/' },
    },
    {
      name: 'no-dev-dependency-in-the-product',
      comment: 'The console is built into files of its own; what it imports is in them.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['^apps/console/', SPEC] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-undeclared-package',
      comment: 'It is there only because another package brought it: tomorrow it may be gone.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'nothing-imports-a-spec',
      severity: 'error',
      from: {},
      to: { path: SPEC },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    // As in every Nest monorepo, the package.json of the root declares the dependencies of apps/ and libs/.
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.d.ts'],
    },
  },
};
