import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImportSource } from '../source.js';
import { auth0 } from './auth0.js';
import { cognito } from './cognito.js';
import { firebase } from './firebase.js';
import { gatehouse } from './gatehouse.js';
import { keycloak } from './keycloak.js';
import { kratos } from './kratos.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns each customer's email address, or the reported problem of a record without one. */
async function read(source: ImportSource, name: string, content: string): Promise<string[]> {
  const file = join(folder, name);
  writeFileSync(file, content);
  const results: string[] = [];
  for await (const { position, customer, leftOut } of source.read([file], { values: {} }))
    results.push(
      customer?.email ??
        `${position} ${leftOut.map(({ field, reason }) => `${field}: ${reason}`).join(', ')}`,
    );
  return results;
}

const eve = '{"id":"2","externalId":"2","user_id":"auth0|2","email":"eve@example.com"}';

it.each<[string, ImportSource, string, string, string]>([
  [
    'a field in NDJSON',
    gatehouse,
    'customers.ndjson',
    `{"email":"ada@example.com","disabledAt":"2022-01-01T00:00:00Z","disabledAt":null}\n${eve}\n`,
    'customers.ndjson:1 disabledAt: disabledAt must not occur twice',
  ],
  [
    'a metadata key in an array',
    gatehouse,
    'customers.json',
    `[{"email":"ada@example.com","metadata":{"a":[0,{"b":1,"b":2}]}},${eve}]`,
    'customers.json#1 metadata.a[1].b: metadata.a[1].b must not occur twice',
  ],
  [
    'an escaped key',
    gatehouse,
    'customers.ndjson',
    `{"email":"ada@example.com","mfa":"required","\\u006dfa":"inherit"}\n${eve}\n`,
    'customers.ndjson:1 mfa: mfa must not occur twice',
  ],
  [
    'a ban from Auth0',
    auth0,
    'users.ndjson',
    `{"user_id":"auth0|1","email":"ada@example.com","blocked":true,"blocked":false}\n${eve}\n`,
    'users.ndjson:1 blocked: blocked must not occur twice',
  ],
  [
    'a ban on a page from Auth0',
    auth0,
    'users.json',
    `{"total":2,"users":[{"user_id":"auth0|1","email":"ada@example.com","blocked":true,"blocked":false},${eve}]}`,
    'users.json#1 blocked: blocked must not occur twice',
  ],
  [
    'a state from Keycloak',
    keycloak,
    'realm.json',
    `{"realm":"a","realm":"a","users":[{"username":"a","email":"ada@example.com","enabled":false,"enabled":true},${eve}]}`,
    'realm.json#1 enabled: enabled must not occur twice',
  ],
  [
    'an attribute of a Keycloak user',
    keycloak,
    'users.json',
    `{"username":"a","email":"ada@example.com","attributes":{"a":["1"],"a":["2"]}}\n{"username":"e","email":"eve@example.com"}`,
    'users.json#1 attributes.a: attributes.a must not occur twice',
  ],
  [
    'a state from Firebase',
    firebase,
    'users.json',
    `{"users":[{"localId":"1","email":"ada@example.com","disabled":true,"disabled":false},${eve}]}`,
    'users.json#1 disabled: disabled must not occur twice',
  ],
  [
    'a state from Cognito',
    cognito,
    'users.json',
    '{"Users":[{"Username":"a","Enabled":false,"Enabled":true},{"Username":"e","Attributes":[{"Name":"email","Value":"eve@example.com"}]}]}',
    'users.json#1 Enabled: Enabled must not occur twice',
  ],
  [
    'a state from Kratos',
    kratos,
    'identities.json',
    '[{"id":"1","traits":{"email":"ada@example.com"},"state":"inactive","state":"active"},{"id":"2","traits":{"email":"eve@example.com"}}]',
    'identities.json#1 state: state must not occur twice',
  ],
])('reports %s that occurs twice, and imports the other user', async (_, source, name, content, expected) => {
  expect(await read(source, name, content)).toEqual([expected, 'eve@example.com']);
});

it('leaves out a JSON string in which a key occurs twice', async () => {
  const users = '{"users":[{"email":"ada@example.com","customAttributes":"{\\"a\\":1,\\"a\\":2}"}]}';
  const records = firebase.read([join(folder, 'claims.json')], { values: {} });
  writeFileSync(join(folder, 'claims.json'), users);
  for await (const { customer, leftOut } of records) {
    expect(customer).not.toHaveProperty('metadata');
    expect(leftOut.map(({ field }) => field)).toContain('customAttributes');
  }
  expect(
    await read(gatehouse, 'customers.csv', 'email,metadata\nada@example.com,"{""a"":1,""a"":2}"\n'),
  ).toEqual(['ada@example.com']);
});
