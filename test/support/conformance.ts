import { readFileSync } from 'node:fs';
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { strictAjv } from './json-schemas.js';

type Json = Record<string, any>;

export interface Asked {
  method: string;
  url: string;
  hasBody: boolean;
}

export interface Answered {
  status: number;
  headers: Headers;
  text: string;
}

/** An operation of the document and the pattern of its path. */
interface Route {
  template: string;
  pattern: RegExp;
  item: Json;
}

/** What is for people, or is the document itself, is described nowhere. */
const undescribed =
  /^\/(docs(\/.*)?|openapi\.json|verify-email|reset-password|accept-invite|confirm-email-change|billing-portal)$/;

/** Answers that belong to no operation, by the names of the document's components. */
const ofNoRoute: Record<number, string> = {
  400: 'InvalidJson',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  431: 'HeadersTooLarge',
  503: 'Unavailable',
};

/** Of a body where none is asked for. */
const ofAnyBody = new Set([400, 413, 415]);

/** Compares answers with the OpenAPI document, which here allows no member that it does not name. */
export class Conformance {
  private readonly ajv: Ajv2020;
  private readonly routes: Route[];
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(readonly document: Json) {
    this.ajv = strictAjv({ strictTypes: false });
    this.ajv.addVocabulary(['discriminator', 'xml', 'externalDocs']);
    const schemas = Object.entries(document['components'].schemas as Json);
    this.ajv.addSchema(
      { $defs: Object.fromEntries(schemas.map(([name, schema]) => [name, relocated(schema)])) },
      'api',
    );
    // Fixed paths first: /customers/import is no customer.
    this.routes = Object.entries(document['paths'] as Json)
      .map(([template, item]) => ({
        template,
        item,
        pattern: new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      }))
      .sort((one, other) => Number(one.template.includes('{')) - Number(other.template.includes('{')));
  }

  /** What is wrong with the answer by the document; nothing, if all is well. */
  faults({ method, url, hasBody }: Asked, answer: Answered): string[] {
    const { pathname } = new URL(url);
    if (method === 'OPTIONS' || undescribed.test(pathname)) return [];
    const isHead = method === 'HEAD';
    const route = this.routes.find(({ pattern }) => pattern.test(pathname));
    const operation = route?.item[(isHead ? 'get' : method).toLowerCase()] as Json | undefined;
    const described = this.resolve(operation?.['responses'][answer.status]);
    const family = pathname.startsWith('/v1/') ? 'V1' : '';
    const general = this.resolve({ $ref: `#/components/responses/${family}${ofNoRoute[answer.status]}` });
    const isGeneral = !operation || (hasBody && !operation['requestBody'] && ofAnyBody.has(answer.status));
    const candidates = [described, isGeneral ? general : undefined].filter((found) => found !== undefined);
    if (candidates.length === 0) return [`the status is not documented`];
    const found = candidates.map((response) => this.responseFaults(response, answer, isHead));
    return found.find((faults) => faults.length === 0) ?? found[0]!;
  }

  private resolve(value: Json | undefined): Json | undefined {
    if (!value?.['$ref']) return value;
    const steps = (value['$ref'] as string).split('/').slice(1);
    return steps.reduce<Json | undefined>((at, step) => at?.[step], this.document);
  }

  private responseFaults(response: Json, { status, headers, text }: Answered, isHead: boolean): string[] {
    const faults = Object.entries((response['headers'] ?? {}) as Json).flatMap(([name, header]) =>
      headerFaults(name, this.resolve(header)!, headers.get(name)),
    );
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    const content = (response['content'] ?? {}) as Json;
    if (Object.keys(content).length === 0)
      return text === '' ? faults : [...faults, 'a body is not documented'];
    if (!content[type]) return [...faults, `the content type ${type || '(none)'} is not documented`];
    if (isHead || !/\bjson$/.test(type)) return faults;
    const body: unknown = JSON.parse(text);
    faults.push(...this.valueFaults(content[type].schema as Json, body));
    if ((body as Json)['status'] !== undefined && type.startsWith('application/problem'))
      if ((body as Json)['status'] !== status) faults.push('the status in the body is another');
    return faults;
  }

  /** What is wrong with a value by a schema of the document. */
  valueFaults(schema: Json, value: unknown): string[] {
    const validate = this.validator(schema);
    return validate(value) ? [] : validate.errors!.map(explain);
  }

  private validator(schema: Json): ValidateFunction {
    const key = JSON.stringify(schema);
    const known = this.validators.get(key);
    if (known) return known;
    const validate = this.ajv.compile(closed(schema));
    this.validators.set(key, validate);
    return validate;
  }
}

const explain = ({
  instancePath,
  message,
  params,
}: NonNullable<ValidateFunction['errors']>[number]): string =>
  `${instancePath || '/'} ${message} ${JSON.stringify(params)}`;

function headerFaults(name: string, { required, schema }: Json, value: string | null): string[] {
  if (value === null) return required ? [`the header ${name} is missing`] : [];
  const isValid = schema.type === 'integer' ? /^\d+$/.test(value) : (schema.enum ?? [value]).includes(value);
  return isValid ? [] : [`the header ${name} is ${value}`];
}

/** The schema of a value of its own: no members beyond those that it names, by whichever of its parts. */
function closed(schema: Json): Json {
  return { ...relocated(schema), unevaluatedProperties: false };
}

/** A schema whose references lead to the compiled components, with the values inside of it closed. */
function relocated(schema: Json): Json {
  const each = (members: Json, change: (member: Json) => Json): Json =>
    Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));
  const { $ref, properties, items, additionalProperties, allOf, anyOf, oneOf, example: _, ...rest } = schema;
  return {
    ...rest,
    ...($ref ? { $ref: ($ref as string).replace('#/components/schemas/', 'api#/$defs/') } : {}),
    ...(properties ? { properties: each(properties, closed) } : {}),
    ...(items ? { items: closed(items) } : {}),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: closed(additionalProperties) }
      : {}),
    ...(typeof additionalProperties === 'boolean' ? { additionalProperties } : {}),
    ...each(Object.fromEntries(Object.entries({ allOf, anyOf, oneOf }).filter(([, list]) => list)), (list) =>
      (list as unknown as Json[]).map(relocated),
    ),
  };
}

let shared: Conformance | undefined;

/** The document of the built api, read and compiled once for all tests of a file. */
export const conformance = (): Conformance =>
  (shared ??= new Conformance(JSON.parse(readFileSync(process.env['TEST_OPENAPI']!, 'utf8')) as Json));

/** `fetch` from an instance, whose answer must be as documented. @throws Error that says how it differs */
export async function fetchDocumented(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  // The benchmarks drive an instance as well, outside of any test.
  if (!process.env['TEST_OPENAPI']) return response;
  const asked = { method: init.method ?? 'GET', url, hasBody: init.body !== undefined };
  const { status, headers } = response;
  const answered = { status, headers, text: await response.clone().text() };
  const faults = conformance().faults(asked, answered);
  if (faults.length === 0) return response;
  const list = faults.map((fault) => `  - ${fault}`).join('\n');
  throw new Error(
    `${asked.method} ${new URL(url).pathname} was answered ${status}, other than the OpenAPI document says:\n${list}\n${answered.text.slice(0, 2_000)}`,
  );
}
