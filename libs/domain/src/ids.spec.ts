import { GatehouseError } from './errors/gatehouse-error.js';
import {
  idPrefixes,
  isUuid,
  parsePublicId,
  pathId,
  publicId,
  uuidBytes,
  uuidFromBytes,
  type PrefixedKind,
} from './ids.js';

const id = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
const kinds = Object.keys(idPrefixes) as PrefixedKind[];

const notUuids: [string, unknown][] = [
  ['nothing', ''],
  ['undefined', undefined],
  ['null', null],
  ['a number', 42],
  ['an array that prints like one', [id]],
  ['capitals', id.toUpperCase()],
  ['braces', `{${id}}`],
  ['no hyphens', id.replaceAll('-', '')],
  ['a urn', `urn:uuid:${id}`],
  ['a line feed at the end', `${id}\n`],
  ['a blank in front', ` ${id}`],
  ['a NUL', `${id}\0`],
  ['one digit less', id.slice(0, -1)],
  ['a letter that is no digit', id.replace('a', 'g')],
  ['the nil UUID', '00000000-0000-0000-0000-000000000000'],
  ['the max UUID', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['another variant', '0199a1b2-c3d4-7e5f-0a6b-7c8d9e0f1a2b'],
  ['a statement', "' OR 1=1 --"],
];

describe('ids', () => {
  it.each(notUuids)('IN-09: %s is no UUID', (_, value) => {
    expect(isUuid(value)).toBe(false);
  });

  it('IN-09: versions 1 to 8 are UUIDs', () => {
    for (const version of '12345678')
      expect(isUuid(`0199a1b2-c3d4-${version}e5f-8a6b-7c8d9e0f1a2b`)).toBe(true);
  });

  it('a UUID survives its bytes', () => {
    expect(uuidBytes(id)).toHaveLength(16);
    expect(uuidFromBytes(uuidBytes(id))).toBe(id);
  });

  it.each([0, 15, 17, 32])('%d bytes are no UUID', (length) => {
    expect(uuidFromBytes(Buffer.alloc(length, 0x77))).toBeNull();
  });

  it('sixteen bytes without version and variant are no UUID', () => {
    expect(uuidFromBytes(Buffer.alloc(16))).toBeNull();
    expect(uuidFromBytes(Buffer.alloc(16, 0xff))).toBeNull();
  });

  it.each([
    ['event', 'evt_'],
    ['delivery', 'dlv_'],
    ['attempt', 'att_'],
    ['endpoint', 'ep_'],
  ] as const)('the public id of an %s starts with %s', (kind, prefix) => {
    expect(publicId(kind, id)).toBe(prefix + id);
    expect(parsePublicId(kind, prefix + id)).toBe(id);
  });

  it('an id of one kind is none of another', () => {
    for (const kind of kinds)
      for (const other of kinds.filter((candidate) => candidate !== kind))
        expect(parsePublicId(other, publicId(kind, id))).toBeNull();
  });

  it.each([
    '',
    'evt_',
    id,
    `evt-${id}`,
    `EVT_${id}`,
    `evt_evt_${id}`,
    `evt_${id} `,
    `evt_${id.toUpperCase()}`,
    'evt_../../x',
  ])('IN-09: %j is no event id, and as a path it is not found', (text) => {
    expect(parsePublicId('event', text)).toBeNull();
    expect(() => pathId('event', text)).toThrow(expect.objectContaining({ code: 'not_found', status: 404 }));
  });

  it('a well-formed path id passes', () => {
    expect(pathId('delivery', `dlv_${id}`)).toBe(id);
    expect(() => pathId('delivery', `evt_${id}`)).toThrow(GatehouseError);
  });
});
