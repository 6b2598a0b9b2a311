/**
 * The oxlint rules of this repository, as syntax selectors. .oxlintrc.json specifies the files to which each applies.
 * @type {Record<string, { message: string, selectors: string[] }>}
 */
const RULES = {
  // Time, randomness and the environment are each accessed in one place, so that tests can replace them.
  environment: {
    message: 'Read the environment in libs/platform/src/config only.',
    selectors: [
      'MemberExpression[object.name="process"]:matches([property.name="env"], [property.value="env"])',
      'VariableDeclarator[init.name="process"] > ObjectPattern',
    ],
  },
  clock: {
    message: "Use the platform's now() or monotonicMs().",
    selectors: [
      'NewExpression[callee.name="Date"][arguments.length=0]',
      'CallExpression[callee.name="Date"]',
      'MemberExpression[object.name="Date"]:matches([property.name="now"], [property.value="now"])',
      'MemberExpression[object.name="process"][property.name=/^(hrtime|uptime)$/]',
    ],
  },
  randomness: {
    message: "Use the platform's randomFraction(), secureBytes() or newId().",
    selectors: [
      'MemberExpression[object.name="Math"]:matches([property.name="random"], [property.value="random"])',
    ],
  },
  // The hosts that the URL parser returns differ between Node.js versions (docs/adr/0099-unicode-tables.md).
  'url-parser': {
    message: 'Parse URLs with parseUrl() or parseValidUrl() of @gatehouse/domain.',
    selectors: [
      'NewExpression[callee.name="URL"][arguments.length=1]',
      'MemberExpression[object.name="URL"][property.name=/^(canParse|parse)$/]',
    ],
  },
  'http-client': {
    message: 'Send requests with the OutboundClient of libs/platform/src/http.',
    selectors: ['ImportExpression[source.value=/^(node:)?https?2?$/]'],
  },
  // test/contract/statements.spec.ts checks declared SQL against the schema (docs/adr/0028-entity-manager-and-sql.md).
  'declared-sql': {
    message: 'Declare the statement with statement() or dynamicStatement(), and execute() it.',
    selectors: ['CallExpression[callee.property.name=/^(query|createQueryBuilder)$/]'],
  },
  // The console renders third-party data as text, never as markup (requirement CO-03).
  'external-text': {
    message: 'Render external text with React, never as markup.',
    selectors: [
      'JSXAttribute[name.name="dangerouslySetInnerHTML"]',
      'MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML|srcdoc)$/]',
      'CallExpression[callee.object.name="document"][callee.property.name="write"]',
    ],
  },
  // One folder in the api creates accounts and ends access (docs/adr/0109-one-service-for-accounts.md).
  'new-accounts': {
    message: 'Create customers and link identities with AccountsService.',
    selectors: [
      'ImportSpecifier[imported.name="AccountsRepository"]',
      'ImportDeclaration[source.value="@gatehouse/persistence"] > ImportNamespaceSpecifier',
      'ImportExpression[source.value="@gatehouse/persistence"]',
    ],
  },
  'ended-access': {
    message: 'End access with AccountLifecycleService.',
    selectors: [
      'MemberExpression[object.property.name="customers"][property.name=/^(claim|revokeAccess|setDisabled)$/]',
      'MemberExpression[object.property.name=/^(challenges|tokens)$/][property.name="voidAll"]',
      'MemberExpression[object.property.name=/^(exchanges|factors|identities|signInTokens)$/][property.name="deleteAll"]',
    ],
  },
  'inserted-accounts': {
    message: 'Insert customers and identities in accounts.repository.ts only.',
    selectors: [
      'TemplateElement[value.raw=/INSERT INTO (customers|identities) /i]',
      'Literal[value=/INSERT INTO (customers|identities) /i]',
      'CallExpression[callee.property.name=/^(insert|upsert)$/][arguments.0.name=/^(CustomerEntity|IdentityEntity)$/]',
    ],
  },
  // A POST with an Idempotency-Key commits all its changes in one transaction (docs/adr/0111-explicit-joins.md).
  'joined-transactions': {
    message: 'Call join(), which commits with the request. run() commits even if the request fails.',
    selectors: [
      'MemberExpression:matches([object.name="transactions"], [object.property.name="transactions"])[property.name="run"]',
    ],
  },
  // Routes for secret keys are available to operators only if they are named explicitly.
  'named-routes': {
    message: 'Extend PickRoutes(Controller, [...]) and name the routes for operators.',
    selectors: ['ClassDeclaration[superClass.type="Identifier"]'],
  },
};

export default {
  meta: { name: 'gatehouse' },
  rules: Object.fromEntries(
    Object.entries(RULES).map(([name, { message, selectors }]) => [
      name,
      {
        create: (context) =>
          Object.fromEntries(
            selectors.map((selector) => [selector, (node) => context.report({ node, message })]),
          ),
      },
    ]),
  ),
};
