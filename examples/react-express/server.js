import { createServer as createHttpServer } from 'node:http';
import { createServer } from '@gatehouse/server';
import express from 'express';
import { createServer as createViteServer } from 'vite';

const gatehouse = createServer({
  url: process.env.GATEHOUSE_URL,
  projectId: process.env.GATEHOUSE_PROJECT_ID,
  webhookSecret: process.env.WEBHOOK_SECRET,
});

const app = express();
const server = createHttpServer(app);

/** The entries that the page lists. Anyone can read them, so they must not contain personal data. */
const received = [];
const pages = new Set();
const show = async ({ type, data }) => {
  const text = `${type} ${data.customer.id}`;
  received.push(text);
  for (const page of pages) page.write(`data: ${text}\n\n`);
};

// The signature is computed over the raw bytes of the body, so no body parser may come before this route.
app.post('/hooks', gatehouse.webhook({ 'customer.created': show, 'customer.deleted': show }));

app.get('/received', (request, response) => {
  response.set('Content-Type', 'text/event-stream').flushHeaders();
  for (const text of received) response.write(`data: ${text}\n\n`);
  pages.add(response);
  request.on('close', () => pages.delete(response));
});

app.get('/api/orders', gatehouse.requireCustomer(), (request, response) => {
  response.json({ customerId: request.customer.sub, orders: ['Lamp', 'Ladder'] });
});

const vite = await createViteServer({
  root: import.meta.dirname,
  server: { middlewareMode: true, hmr: { server } },
  // Only these variables are safe to expose in the browser.
  envPrefix: ['GATEHOUSE_URL', 'GATEHOUSE_PUBLISHABLE_KEY'],
});
app.use(vite.middlewares);

const port = Number(process.env.PORT ?? 4200);
server.listen(port, '127.0.0.1', () => console.log(`Open http://localhost:${port}`));
