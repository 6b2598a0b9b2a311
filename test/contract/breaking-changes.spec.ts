import { readdirSync, readFileSync } from 'node:fs';
import { findBreakingChanges, findBreakingEventChanges } from '../support/breaking-changes.js';

const FOLDER = 'docs/releases';

/** Breaking changes since the newest release. The next release's page in docs/upgrades must describe them. */
const DESCRIBED_CHANGES: string[] = [];

const readJson = (file: string): any => JSON.parse(readFileSync(file, 'utf8'));

/** Returns the newest released version of a document in docs/releases. */
function readNewest(prefix: string): { version: string; document: any } {
  const byVersion = new Intl.Collator('en', { numeric: true });
  const [name] = readdirSync(FOLDER)
    .filter((each) => each.startsWith(prefix))
    .sort((one, other) => byVersion.compare(other, one));
  return {
    version: name!.slice(prefix.length).replace(/(\.schema)?\.json$/, ''),
    document: readJson(`${FOLDER}/${name}`),
  };
}

describe('the API changes since the newest release', () => {
  it('break clients only as docs/upgrades describes', () => {
    const { version, document } = readNewest('openapi-');
    expect(document.info['x-gatehouse-version']).toBe(version);
    expect(Object.keys(document.paths).length).toBeGreaterThan(50);
    expect(findBreakingChanges(document, readJson('docs/openapi.json'))).toEqual(DESCRIBED_CHANGES);
  });

  it('do not break event receivers', () => {
    const { document } = readNewest('events-');
    expect(Object.keys(document.$defs).length).toBeGreaterThan(10);
    expect(findBreakingEventChanges(document, readJson('docs/events.schema.json'))).toEqual([]);
  });
});

const schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', maxLength: 20 },
    color: { type: 'string', enum: ['red', 'blue'] },
    size: { type: ['integer', 'null'], minimum: 1 },
  },
};
const parts = { type: 'array', items: { $ref: '#/components/schemas/Thing' } };

const createDocument = (): any =>
  JSON.parse(
    JSON.stringify({
      paths: {
        '/things': {
          post: {
            parameters: [{ in: 'query', name: 'dry_run', schema: { type: 'boolean' } }],
            requestBody: { content: { 'application/json': { schema } } },
            responses: {
              201: {
                headers: { ETag: { schema: { type: 'string' } } },
                content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
              },
            },
          },
        },
      },
      components: { schemas: { Thing: { ...schema, properties: { ...schema.properties, parts } } } },
    }),
  );

/** Changes a document in one place; `request`, `response` and `post` are its parts. */
type Change = (parts: { request: any; response: any; post: any; document: any }) => void;

function findAfter(change: Change): string[] {
  const document = createDocument();
  const post = document.paths['/things'].post;
  const request = post.requestBody.content['application/json'].schema;
  change({ request, response: document.components.schemas.Thing, post, document });
  return findBreakingChanges(createDocument(), document);
}

describe('findBreakingChanges', () => {
  const breaking: [change: Change, found: string][] = [
    [({ document }) => delete document.paths['/things'].post, ': the operation was removed'],
    [({ post }) => post.parameters.pop(), ' query parameter dry_run: the parameter was removed'],
    [
      ({ post }) => (post.parameters[0].required = true),
      ' query parameter dry_run: the parameter became required',
    ],
    [({ post }) => (post.requestBody.required = true), ': a request body became required'],
    [({ post }) => delete post.requestBody, ': the request body was removed'],
    [
      ({ post }) => (post.requestBody.content = {}),
      ' request: the content type application/json was removed',
    ],
    [({ request }) => request.required.push('size'), ' request /size: the property became required'],
    [({ request }) => delete request.properties.size, ' request /size: the property was removed'],
    [({ request }) => request.properties.color.enum.pop(), ' request /color: the value blue was removed'],
    [
      ({ request }) => (request.properties.name.enum = ['a', 'b']),
      ' request /name: the values were limited to a, b',
    ],
    [
      ({ request }) => (request.properties.name.maxLength = 10),
      ' request /name: maxLength was tightened from 20 to 10',
    ],
    [
      ({ request }) => (request.properties.name.minLength = 2),
      ' request /name: minLength was tightened from none to 2',
    ],
    [({ request }) => (request.properties.name.pattern = '^a'), ' request /name: the pattern changed'],
    [
      ({ request }) => (request.properties.size.type = 'integer'),
      ' request /size: the type changed from null to integer',
    ],
    [({ post }) => delete post.responses[201], ': the response 201 was removed'],
    [({ post }) => delete post.responses[201].headers, ' 201: the header ETag was removed'],
    [({ response }) => delete response.properties.size, ' 201 /size: the property was removed'],
    [({ response }) => response.required.pop(), ' 201 /name: the property became optional'],
    [
      ({ response }) => (response.properties.name.type = ['string', 'null']),
      ' 201 /name: the type changed from string to null',
    ],
    [
      ({ response }) => (response.properties.size.type = ['number', 'null']),
      ' 201 /size: the value can also be number',
    ],
  ];

  it('finds each kind of breaking change', () => {
    expect(breaking.map(([change]) => findAfter(change))).toEqual(
      breaking.map(([, found]) => expect.arrayContaining([`POST /things${found}`])),
    );
  });

  it('accepts additions, and wider requests and narrower responses', () => {
    const compatible: Change[] = [
      () => undefined,
      ({ document }) => (document.paths['/others'] = { get: {} }),
      ({ post }) => post.parameters.push({ in: 'query', name: 'fields', schema: { type: 'string' } }),
      ({ post }) => (post.responses[202] = {}),
      ({ request }) => (request.required = []),
      ({ request }) => (request.properties.note = { type: 'string' }),
      ({ request }) => request.properties.color.enum.push('green'),
      ({ request }) => (request.properties.name = { type: ['string', 'null'], maxLength: 30 }),
      ({ request }) => (request.properties.size.type = ['number', 'null']),
      ({ response }) => response.required.push('color'),
      ({ response }) => (response.properties.note = { type: 'string' }),
      ({ response }) => response.properties.color.enum.push('green'),
      ({ response }) => (response.properties.size.type = 'integer'),
    ];
    expect(compatible.map(findAfter)).toEqual(compatible.map(() => []));
  });
});
