import { existsSync } from 'node:fs';
import tseslint from 'typescript-eslint';

const specs = '{apps,examples,libs,packages,test}/**/*.spec.ts';

/** Time, randomness and the environment are each read in one place, so that tests can replace them. */
const restricted = {
  environment: [
    'MemberExpression[object.name="process"]:matches([property.name="env"], [property.value="env"])',
    'VariableDeclarator[init.name="process"] > ObjectPattern',
  ].map((selector) => ({ selector, message: 'Read the environment in libs/platform/src/config only.' })),
  clock: [
    'NewExpression[callee.name="Date"][arguments.length=0]',
    'CallExpression[callee.name="Date"]',
    'MemberExpression[object.name="Date"]:matches([property.name="now"], [property.value="now"])',
    'MemberExpression[object.name="process"][property.name=/^(hrtime|uptime)$/]',
  ].map((selector) => ({ selector, message: "Use the platform's now() or monotonicMs()." })),
  randomness: [
    {
      selector:
        'MemberExpression[object.name="Math"]:matches([property.name="random"], [property.value="random"])',
      message: "Use the platform's randomFraction(), secureBytes() or newId().",
    },
  ],
  globals: [
    { name: 'performance', message: "Use the platform's monotonicMs()." },
    { name: 'crypto', message: "Import from node:crypto; use the platform's crypto/random for randomness." },
    { name: 'globalThis', message: 'Access to globals through globalThis bypasses these rules.' },
  ],
  // Outbound requests: these clients have no target guard and no time limit.
  clientGlobals: ['fetch', 'XMLHttpRequest', 'EventSource', 'WebSocket'].map((name) => ({
    name,
    message: 'Send requests with the OutboundClient of libs/platform/src/http.',
  })),
  clientImports: [
    ...['http', 'node:http'].map((name) => ({
      name,
      importNames: ['default', 'request', 'get', 'Agent', 'globalAgent', 'ClientRequest'],
      message: 'Send requests with the OutboundClient of libs/platform/src/http.',
    })),
    ...['https', 'node:https', 'http2', 'node:http2', 'undici'].map((name) => ({
      name,
      message: 'Send requests with the OutboundClient of libs/platform/src/http.',
    })),
  ],
  dynamicClientImports: [
    {
      selector: 'ImportExpression[source.value=/^(node:)?https?2?$/]',
      message: 'Send requests with the OutboundClient of libs/platform/src/http.',
    },
  ],
  imports: [
    {
      name: 'node:crypto',
      importNames: [
        'getRandomValues',
        'randomBytes',
        'randomFill',
        'randomFillSync',
        'randomInt',
        'randomUUID',
        'webcrypto',
      ],
      message: "Use the platform's secureBytes(), newId() or randomFraction().",
    },
    { name: 'node:perf_hooks', message: "Use the platform's monotonicMs()." },
    { name: 'node:process', message: 'Read the environment in libs/platform/src/config only.' },
    { name: 'uuid', message: "Use the platform's newId()." },
  ],
};

/**
 * SQL must be declared, so that `test/contract/statements.spec.ts` can check it against the schema
 * (docs/adr/0028-entity-manager-and-sql.md).
 */
const undeclaredSql = {
  selector: 'CallExpression[callee.property.name=/^(query|createQueryBuilder)$/]',
  message: 'Declare the statement with statement() or dynamicStatement(), and execute() it.',
};

/** The console shows data of third parties as text and never as markup (requirement CO-03). */
const markup = [
  'JSXAttribute[name.name="dangerouslySetInnerHTML"]',
  'MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML|srcdoc)$/]',
  'CallExpression[callee.object.name="document"][callee.property.name="write"]',
].map((selector) => ({ selector, message: 'Render external text with React, never as markup.' }));

const browserGlobals = [
  {
    name: 'fetch',
    message: 'Send requests with http/: it identifies the console and handles problem responses.',
  },
  { name: 'localStorage', message: 'Do not store data in the browser (requirement CO-05).' },
  { name: 'sessionStorage', message: 'Do not store data in the browser (requirement CO-05).' },
  { name: 'open', message: 'Use a link with rel="noopener noreferrer" to open a tab.' },
];

/** A route for secret keys is available to operators only if it is named explicitly. */
const unnamedRoutes = [
  {
    selector: 'ClassDeclaration[superClass.type="Identifier"]',
    message: 'Extend PickRoutes(Controller, [...]) and name the routes for operators.',
  },
];

const restrictSyntax = (...selectors) => ({ 'no-restricted-syntax': ['error', ...selectors.flat()] });

export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      '**/.next/',
      '**/next-env.d.ts',
      '.data/',
      '**/openapi.d.ts',
      'packages/*/src/openapi.ts',
      'packages/server/src/event-types.ts',
      // Its rules require the types of its packages, which `npm ci` of the repository does not install.
      ...(existsSync('examples/expo/node_modules') ? [] : ['examples/expo/']),
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['{apps,examples,libs,packages,test}/**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'no-control-regex': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'no-useless-rename': 'error',
      'prefer-const': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  {
    files: ['{apps,libs}/**/*.ts'],
    ignores: ['apps/console/**'],
    rules: {
      ...restrictSyntax(
        restricted.environment,
        restricted.clock,
        restricted.randomness,
        restricted.dynamicClientImports,
      ),
      'no-restricted-globals': ['error', ...restricted.globals, ...restricted.clientGlobals],
      'no-restricted-imports': ['error', { paths: [...restricted.imports, ...restricted.clientImports] }],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  // Without type information: each example has its own tsconfig.json, which would be another program for the linter.
  { files: ['examples/**'], extends: [tseslint.configs.disableTypeChecked] },
  {
    files: ['{examples,packages}/**/*.{ts,tsx}'],
    rules: {
      ...restrictSyntax(restricted.randomness),
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['apps/api/src/**/*.operator.controller.ts'],
    rules: restrictSyntax(restricted.environment, restricted.clock, restricted.randomness, unnamedRoutes),
  },
  {
    files: ['apps/console/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': ['error', ...markup],
      'no-restricted-globals': ['error', ...browserGlobals],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      // Components consist mostly of markup.
      'max-lines-per-function': ['error', { max: 100, skipBlankLines: true, skipComments: true }],
      // Allows `onClick={async () => …}`. The called functions show their errors.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    },
  },
  { files: ['apps/console/src/http/*.ts'], rules: { 'no-restricted-globals': 'off' } },
  // The files that are exempt from these restrictions.
  {
    files: ['libs/platform/src/config/*.ts'],
    rules: restrictSyntax(restricted.clock, restricted.randomness, restricted.dynamicClientImports),
  },
  {
    files: ['libs/platform/src/clock/clock.ts'],
    rules: {
      ...restrictSyntax(restricted.environment, restricted.randomness, restricted.dynamicClientImports),
      'no-restricted-globals': ['error', ...restricted.clientGlobals],
    },
  },
  {
    files: ['libs/platform/src/http/*.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: restricted.imports }] },
  },
  {
    files: ['libs/platform/src/crypto/{keyring,random}.ts', 'libs/platform/src/config/root-secret.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: restricted.clientImports }] },
  },
  {
    files: ['libs/persistence/src/**/*.ts'],
    ignores: [
      'libs/persistence/src/migrations/*.ts',
      // The runner of declared statements, START TRANSACTION and COMMIT, TypeORM's own tables, and GRANT.
      'libs/persistence/src/{database,transactions,migrate,runtime-role}.ts',
    ],
    rules: restrictSyntax(restricted.environment, restricted.clock, restricted.randomness, undeclaredSql),
  },
  // Migrations and entities are as long as their tables require.
  {
    files: ['libs/persistence/src/migrations/*.ts', 'libs/persistence/src/**/*.entity.ts'],
    rules: { 'max-lines': 'off', 'max-lines-per-function': 'off' },
  },
  {
    files: [specs],
    rules: {
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      'no-restricted-syntax': 'off',
      'no-restricted-globals': 'off',
      'no-restricted-imports': 'off',
    },
  },
  // Tests read untyped responses and assert their shape.
  {
    files: ['test/**/*.ts', specs],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  // Plain JavaScript: launchers, the hashing thread, and modules that jest loads directly.
  {
    files: ['**/*.{mjs,cjs}'],
    rules: {
      eqeqeq: 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'no-undef': 'off',
    },
  },
);
