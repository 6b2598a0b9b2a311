import { toCurl } from './to-curl';

describe('toCurl', () => {
  it('encloses untrusted text in single quotes that it cannot close', () => {
    const command = toCurl('https://example.com/?a=$(id)', {
      headers: { 'x-own': "'; id; '" },
      body: `{"name":"O'Brien"}`,
    });
    expect(command.split(' \\\n  ')).toEqual([
      `curl --request POST --url 'https://example.com/?a=$(id)'`,
      `--header 'x-own: '\\''; id; '\\'''`,
      `--data-raw '{"name":"O'\\''Brien"}'`,
    ]);
  });
});
