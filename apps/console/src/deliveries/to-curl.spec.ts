import { toCurl } from './to-curl';

describe('asCurl', () => {
  it('hands a shell what strangers wrote between single quotes, of which none ends early', () => {
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
