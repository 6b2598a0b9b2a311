import type { components } from './event-types.js';
import { BodyError, readNodeBody, readWebBody, type NodeBodyRequest } from './raw-body.js';
import { respond } from './respond.js';
import { isSigned, toWebhookKey } from './webhook-signature.js';

type Schemas = components['schemas'];

/** The Gatehouse events by type, and `app.*` for custom events. */
export type Events = {
  [
    Name in keyof Schemas as Schemas[Name] extends { type: string; data: unknown } ? Name : never
  ]: Schemas[Name];
};

/** A Gatehouse event type. */
export type EventType = Exclude<keyof Events, 'app.*'>;

/** A webhook body. */
export type WebhookEvent = Events[keyof Events];

/**
 * The handlers by event type. `app.*` handles custom events whose type has no separate handler. Events without a
 * handler are ignored.
 */
export type WebhookHandlers = {
  [Name in keyof Events]?: (event: Events[Name]) => unknown;
} & { [Name in `app.${string}`]?: (event: Events['app.*']) => unknown };

export interface WebhookOptions {
  /** Called with the error if a handler fails or the body cannot be verified. Default: `console.error`. */
  onError?: (error: unknown) => void;
}

/** A route handler for Web APIs (`Request` and `Response`), Node.js, Express and Fastify. */
export interface WebhookHandler {
  (request: Request, ...context: unknown[]): Promise<Response>;
  (request: NodeBodyRequest, response: object, ...rest: unknown[]): Promise<void>;
}

interface Reply {
  status: number;
  body?: string;
}

// oxlint-disable-next-line no-console
const logError = (error: unknown): void => console.error('webhook failed', error);

/**
 * Returns a function that creates route handlers for webhooks. They respond with 204 after the handler for the event
 * has finished or if there is none, 400 if the signature is invalid, and 500 if the handler fails, so that Gatehouse
 * delivers the event again.
 * @param secrets one signing secret, or several for endpoints that share the route
 */
export function createWebhook(secrets: string | string[] | undefined) {
  return (handlers: WebhookHandlers, { onError = logError }: WebhookOptions = {}): WebhookHandler => {
    const keys = [secrets ?? []].flat().map(toWebhookKey);
    if (keys.length === 0)
      throw new TypeError('webhook() requires the webhookSecret option of createServer()');

    const handle = async (
      readBody: () => Promise<string>,
      headers: Record<string, string>,
    ): Promise<Reply> => {
      try {
        const body = await readBody();
        if (!(await isSigned(keys, body, headers, Date.now() / 1_000))) return { status: 400 };
        const event = JSON.parse(body) as WebhookEvent;
        await findHandler(handlers, event.type)?.(event);
        return { status: 204 };
      } catch (error) {
        onError(error);
        // Only messages from this package are safe for the delivery log: a handler's error message can contain secrets.
        return error instanceof BodyError ? { status: error.status, body: error.message } : { status: 500 };
      }
    };

    const handler = async (
      request: Request | NodeBodyRequest,
      response?: unknown,
    ): Promise<Response | void> => {
      if (isWebRequest(request)) {
        const { status, body } = await handle(
          () => readWebBody(request),
          Object.fromEntries(request.headers),
        );
        return new Response(body ?? null, { status, ...(body && { headers: TEXT }) });
      }
      const { status, body } = await handle(
        () => readNodeBody(request),
        request.headers as Record<string, string>,
      );
      respond(response as object, status, body === undefined ? {} : TEXT, body);
    };
    return handler as WebhookHandler;
  };
}

const TEXT = { 'Content-Type': 'text/plain; charset=utf-8' };

const isWebRequest = (request: Request | NodeBodyRequest): request is Request =>
  typeof (request.headers as Headers).get === 'function';

/** Returns the handler for an event type. Ignores inherited members of `handlers`. */
function findHandler(handlers: WebhookHandlers, type: string): ((event: unknown) => unknown) | undefined {
  const names = type.startsWith('app.') ? [type, 'app.*'] : [type];
  const name = names.find((each) => Object.hasOwn(handlers, each));
  return name === undefined
    ? undefined
    : (handlers as Record<string, ((event: unknown) => unknown) | undefined>)[name];
}
