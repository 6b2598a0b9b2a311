import { readFileSync } from 'node:fs';
import { VERSION, webhookUserAgent } from './version.js';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

describe('VERSION', () => {
  it("is package.json's", () => {
    expect(VERSION).toBe(version);
  });

  it('stands in the User-Agent of every delivery', () => {
    expect(webhookUserAgent).toBe(`Gatehouse-Webhooks/${version}`);
  });
});
