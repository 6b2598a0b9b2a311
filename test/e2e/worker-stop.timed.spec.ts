import { eventually } from '../support/eventually.js';
import { TestInstance } from '../support/test-instance.js';
import { Receiver } from '../support/receiver.js';
import { SilentProxy } from '../support/silent-proxy.js';

describe('a worker that is told to stop', () => {
  it('ends by itself in time, though a target holds a request and PostgreSQL is silent', async () => {
    const [instance, receiver] = [await TestInstance.start({ workers: 0 }), await Receiver.start()];
    const url = new URL(instance.env['DATABASE_URL']!);
    const proxy = await SilentProxy.start({ host: url.hostname, port: Number(url.port) });
    try {
      url.host = `127.0.0.1:${proxy.port}`;
      receiver.otherwise = () => undefined;
      await instance.createEndpoint(receiver.url, ['customer.created']);
      const worker = instance.startWorker({ DATABASE_URL: url.href, WEBHOOK_TIMEOUT: '60s' });
      await instance.register();
      await eventually('the request', () => receiver.requests.length === 1);
      proxy.fallSilent();
      // Otherwise the process is ended from within, with 1.
      expect(await worker.end('SIGTERM')).toBe(0);
    } finally {
      proxy.speak();
      await instance.stop();
      await receiver.stop();
      await proxy.stop();
    }
  });
});
