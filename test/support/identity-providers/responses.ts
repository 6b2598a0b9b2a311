import type { ServerResponse } from 'node:http';
import type { Responder } from './stand-in-server.js';

/** Sends JSON that must not be cached. */
export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

export function sendHtml(response: ServerResponse, html: string, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end(`<!DOCTYPE html>${html}`);
}

/** Redirects to a URL with query parameters. */
export function sendRedirect(
  response: ServerResponse,
  to: string,
  parameters: Record<string, string> = {},
): void {
  const url = new URL(to);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  response.writeHead(302, { Location: url.href }).end();
}

/** Sends a page whose script posts the parameters to a URL (OAuth 2.0 Form Post Response Mode). */
export function sendFormPost(response: ServerResponse, to: string, parameters: Record<string, string>): void {
  const inputs = Object.entries(parameters)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('');
  sendHtml(
    response,
    `<title>Continue</title><form method="post" action="${escapeHtml(to)}">${inputs}</form>
    <script>document.forms[0].submit()</script>`,
  );
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export const respondWithJson =
  (body: unknown, status = 200): Responder =>
  (response) =>
    sendJson(response, body, status);

/** Responds with content of any type. */
export const respondWithContent =
  (contentType: string, text: string, status = 200): Responder =>
  (response) =>
    response.writeHead(status, { 'Content-Type': contentType }).end(text);

export const respondWithRedirect =
  (to: string, status = 302): Responder =>
  (response) =>
    response.writeHead(status, { Location: to }).end();

/** Sends JSON without end until the client disconnects. */
export const respondWithoutEnd: Responder = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.write('{"issuer":"');
  const piece = 'a'.repeat(65_536);
  const next = (): void => {
    if (response.destroyed) return;
    if (response.write(piece)) setImmediate(next);
    else response.once('drain', next);
  };
  next();
};
