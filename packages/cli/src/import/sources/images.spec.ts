import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sources } from '../sources.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-images-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const IMAGE = 'https://example.com/ada.png';
const email = 'ada@example.com';

/** The field for each system with images, and the files with a user that has one. */
const files: Record<string, [field: string, files: (image: string) => Record<string, unknown>]> = {
  auth0: ['picture', (picture) => ({ users: [{ user_id: 'email|1', email, picture, identities: [] }] })],
  'better-auth': [
    'image',
    (image) => ({
      user: [{ id: '1', email, emailVerified: true, image }],
      account: [{ userId: '1', providerId: 'credential', accountId: '1' }],
    }),
  ],
  firebase: ['photoUrl', (photoUrl) => ({ users: { users: [{ localId: '1', email, photoUrl }] } })],
  gatehouse: ['', (imageUrl) => ({ customers: [{ email, imageUrl }] })],
  logto: ['avatar', (avatar) => ({ users: [{ id: '1', primaryEmail: email, avatar }] })],
};

describe.each(Object.entries(files))('%s', (system, [field, toFiles]) => {
  it.each([
    ['an https URL', IMAGE, IMAGE, false],
    ['a URL in uppercase', 'HTTPS://EXAMPLE.COM/ada.png', 'HTTPS://EXAMPLE.COM/ada.png', false],
    ['an http URL', 'http://example.com/ada.png', undefined, true],
    ['a URL that is too long', `https://example.com/${'a'.repeat(2_048)}`, undefined, true],
    ['an empty string', '', undefined, false],
  ])(
    'imports an image with an https URL, and reports any other image: %s',
    async (_, image, expected, isReported) => {
      const paths = Object.entries(toFiles(image)).map(([name, content]) => {
        const path = join(folder, `${system}-${name}.json`);
        writeFileSync(path, JSON.stringify(content));
        return path;
      });
      const source = sources.find(({ name }) => name === system)!;
      for await (const { customer, leftOut } of source.read(paths, { values: {} })) {
        // In Gatehouse's own format, the server checks the values.
        expect(customer?.imageUrl).toBe(field === '' ? image : expected);
        expect(leftOut.some((each) => each.field === field)).toBe(field !== '' && isReported);
      }
    },
  );
});
