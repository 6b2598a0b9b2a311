import { readFileSync } from 'node:fs';
import { strictAjv } from './json-schemas.mjs';
import { resolveReference } from './resolve-reference.mjs';

/** @typedef {Record<string, any>} Json */
/** @typedef {{ method: string, url: string, hasBody: boolean }} RequestInfo */
/** @typedef {{ status: number, headers: Headers, text: string }} ResponseInfo */

/** Paths that are not documented: pages for people, and the documents themselves. */
const undocumentedPaths =
  /^\/(|docs(\/.*)?|(operator\/)?openapi\.json|verify-email|email-sign-in|disown|reset-password|accept-invite|confirm-email-change|billing-portal|sign-in(\/.*)?|api\/v1\/auth\/oauth\/callback\/.*)$/;

// Names of the documented responses that do not belong to an operation, by status.
/** @type {Record<number, string>} */
const routelessResponses = {
  400: 'InvalidJson',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  431: 'HeadersTooLarge',
  503: 'Unavailable',
};

/** Statuses for a request body that the operation does not accept. */
const bodyErrorStatuses = new Set([400, 413, 415]);

/**
 * Merges both documents' operations into one. Components with the same name are identical in both.
 * @param {{ public: Json, operator: Json }} documents
 * @returns {Json}
 */
export function mergeDocuments({ public: forKeys, operator: forConsole }) {
  const kinds = new Set([...Object.keys(forKeys['components']), ...Object.keys(forConsole['components'])]);
  return {
    ...forKeys,
    tags: [...forKeys['tags'], ...forConsole['tags']],
    paths: { ...forKeys['paths'], ...forConsole['paths'] },
    components: Object.fromEntries(
      [...kinds].map((kind) => [kind, { ...forKeys['components'][kind], ...forConsole['components'][kind] }]),
    ),
  };
}

/**
 * Compares responses with the OpenAPI document. Every object counts as closed: undocumented properties are errors.
 */
export class Conformance {
  #ajv;
  /** The document's operations and their path patterns. */
  #routes;
  #validators = new Map();

  /**
   * @param {Json} document
   * @param {import('ajv/dist/2020.js').Options} [options] for the validator
   */
  constructor(document, options = {}) {
    this.document = document;
    this.#ajv = strictAjv({ strictTypes: false, ...options });
    this.#ajv.addVocabulary(['discriminator', 'xml', 'externalDocs']);
    const schemas = Object.entries(document['components'].schemas);
    this.#ajv.addSchema(
      { $defs: Object.fromEntries(schemas.map(([name, schema]) => [name, relocateSchema(schema)])) },
      'api',
    );
    // Fixed paths come first, so that /customers/import does not match /customers/{customerId}.
    this.#routes = Object.entries(document['paths'])
      .map(([template, item]) => ({
        template,
        item,
        pattern: new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      }))
      .sort((one, other) => Number(one.template.includes('{')) - Number(other.template.includes('{')));
  }

  /**
   * Returns the differences between a response and the document, or an empty list.
   * @param {RequestInfo} request
   * @param {ResponseInfo} actual
   * @returns {string[]}
   */
  findProblems({ method, url, hasBody }, actual) {
    const { pathname } = new URL(url);
    if (method === 'OPTIONS' || undocumentedPaths.test(pathname)) return [];
    const isHead = method === 'HEAD';
    const route = this.#routes.find(({ pattern }) => pattern.test(pathname));
    const operation = route?.item[(isHead ? 'get' : method).toLowerCase()];
    const described = this.#resolve(operation?.['responses'][actual.status]);
    const family = pathname.startsWith('/v1/') ? 'V1' : '';
    const general = this.#resolve({
      $ref: `#/components/responses/${family}${routelessResponses[actual.status]}`,
    });
    const canBeGeneral =
      !operation || (hasBody && !operation['requestBody'] && bodyErrorStatuses.has(actual.status));
    const candidates = [described, canBeGeneral ? general : undefined].filter((found) => found !== undefined);
    if (candidates.length === 0) return [`the status is not documented`];
    const found = candidates.map((response) => this.#findResponseProblems(response, actual, isHead));
    return found.find((problems) => problems.length === 0) ?? found[0];
  }

  #resolve(value) {
    return resolveReference(value, this.document);
  }

  #findResponseProblems(response, { status, headers, text }, isHead) {
    const problems = Object.entries(response['headers'] ?? {}).flatMap(([name, header]) =>
      findHeaderProblems(name, this.#resolve(header), headers.get(name)),
    );
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    const content = response['content'] ?? {};
    if (Object.keys(content).length === 0)
      return text === '' ? problems : [...problems, 'a body is not documented'];
    if (!content[type]) return [...problems, `the content type ${type || '(none)'} is not documented`];
    if (isHead || !/\bjson$/.test(type)) return problems;
    const body = JSON.parse(text);
    problems.push(...this.findValueProblems(content[type].schema, body));
    if (body['status'] !== undefined && type.startsWith('application/problem'))
      if (body['status'] !== status) problems.push('the status in the body differs');
    return problems;
  }

  /**
   * Returns the differences between a value and a schema in the document, or an empty list.
   * @param {Json} schema
   * @param {unknown} value
   * @returns {string[]}
   */
  findValueProblems(schema, value) {
    const validate = this.#validator(schema);
    return validate(value) ? [] : validate.errors.map(describeProblem);
  }

  #validator(schema) {
    const key = JSON.stringify(schema);
    const known = this.#validators.get(key);
    if (known) return known;
    const validate = this.#ajv.compile(closeSchema(schema));
    this.#validators.set(key, validate);
    return validate;
  }
}

const describeProblem = ({ instancePath, message, params }) =>
  `${instancePath || '/'} ${message} ${JSON.stringify(params)}`;

function findHeaderProblems(name, { required, schema }, value) {
  if (value === null) return required ? [`the header ${name} is missing`] : [];
  const isValid = schema.type === 'integer' ? /^\d+$/.test(value) : (schema.enum ?? [value]).includes(value);
  return isValid ? [] : [`the header ${name} is ${value}`];
}

/** Returns a schema that allows only the properties that it or one of its parts declares. */
function closeSchema(schema) {
  return { ...relocateSchema(schema), unevaluatedProperties: false };
}

/** Returns a schema in which references point to the compiled components and all nested values are closed. */
function relocateSchema(schema) {
  const each = (members, change) =>
    Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));
  const {
    $ref,
    properties,
    items,
    additionalProperties,
    allOf,
    anyOf,
    oneOf,
    example: _example,
    ...rest
  } = schema;
  return {
    ...rest,
    ...($ref ? { $ref: $ref.replace('#/components/schemas/', 'api#/$defs/') } : {}),
    ...(properties ? { properties: each(properties, closeSchema) } : {}),
    ...(items ? { items: closeSchema(items) } : {}),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: closeSchema(additionalProperties) }
      : {}),
    ...(typeof additionalProperties === 'boolean' ? { additionalProperties } : {}),
    ...each(Object.fromEntries(Object.entries({ allOf, anyOf, oneOf }).filter(([, list]) => list)), (list) =>
      list.map(relocateSchema),
    ),
  };
}

/** @type {Conformance | undefined} */
let shared;

/** Returns the checker for the built api's document. It is compiled once per jest worker (test-environment.mjs). */
export const conformance = () =>
  (shared ??= new Conformance(JSON.parse(readFileSync(process.env.TEST_OPENAPI ?? '', 'utf8'))));
