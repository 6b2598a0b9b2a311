import { splitWords } from '../../../../test/support/split-words.js';
import {
  idPrefixes,
  isUuid,
  parsePublicId,
  parsePathId,
  publicId,
  uuidToBytes,
  uuidFromBytes,
} from './ids.js';

const id = '0199a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
const prefixes = { event: 'evt_', delivery: 'dlv_', attempt: 'att_', endpoint: 'ep_' } as const;

describe('ids', () => {
  it('IN-09: must be lowercase UUIDs of versions 1 to 8', () => {
    expect([...'12345678'].map((version) => id.replace('7', version)).filter(isUuid)).toHaveLength(8);
    const otherForms = [
      id.toUpperCase(),
      `{${id}}`,
      id.replaceAll('-', ''),
      `urn:uuid:${id}`,
      id.slice(0, -1),
    ];
    const otherBytes = [`${id}\n`, ` ${id}`, `${id}\0`, id.replace('a', 'g'), id.replace('-8a', '-0a')];
    const otherValues = ['', undefined, null, 42, [id], "' OR 1=1 --"];
    const otherVersions = splitWords(
      '00000000-0000-0000-0000-000000000000 ffffffff-ffff-ffff-ffff-ffffffffffff',
    );
    expect([...otherForms, ...otherBytes, ...otherValues, ...otherVersions].filter(isUuid)).toEqual([]);
  });

  it('convert to and from the 16 bytes of a UUID, but not from other bytes', () => {
    expect(uuidToBytes(id)).toHaveLength(16);
    expect(uuidFromBytes(uuidToBytes(id))).toBe(id);
    const others = [...[0, 15, 17, 32].map((length) => Buffer.alloc(length, 0x77)), Buffer.alloc(16)];
    for (const bytes of [...others, Buffer.alloc(16, 0xff)]) expect(uuidFromBytes(bytes)).toBeNull();
  });

  it('have the prefix of their kind and cannot be parsed as another kind', () => {
    for (const [kind, prefix] of Object.entries(prefixes) as [keyof typeof prefixes, string][]) {
      expect(publicId(kind, id)).toBe(prefix + id);
      expect(parsePathId(kind, prefix + id)).toBe(id);
      for (const other of Object.keys(idPrefixes) as (keyof typeof idPrefixes)[])
        expect(parsePublicId(other, prefix + id)).toBe(other === kind ? id : null);
    }
  });

  it('IN-09: result in not_found if they are invalid in a path', () => {
    const texts = [
      '',
      'evt_',
      id,
      `evt-${id}`,
      `EVT_${id}`,
      `evt_evt_${id}`,
      `evt_${id} `,
      'evt_../../x',
      `dlv_${id}`,
    ];
    for (const text of [...texts, `evt_${id.toUpperCase()}`]) {
      expect(parsePublicId('event', text)).toBeNull();
      expect(() => parsePathId('event', text)).toThrow(
        expect.objectContaining({ code: 'not_found', status: 404 }),
      );
    }
  });
});
