import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostsFile } from './hosts-file.js';

describe('HostsFile', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'gatehouse-hosts-'))));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('reads addresses, aliases and comments', async () => {
    const path = join(folder, 'hosts');
    await writeFile(
      path,
      '# 10.0.0.9 commented\n10.0.0.1\tShop.example shop # the shop\r\n\nfd00::1 shop\nnonsense other\n10.0.0.3',
    );
    const hosts = new HostsFile(path);
    expect(hosts.findAddresses('shop.example')).toEqual([{ address: '10.0.0.1', family: 4 }]);
    expect(hosts.findAddresses('shop')).toEqual([
      { address: '10.0.0.1', family: 4 },
      { address: 'fd00::1', family: 6 },
    ]);
    for (const name of ['commented', 'other', 'the', '__proto__', ''])
      expect(hosts.findAddresses(name)).toEqual([]);
  });

  it('detects that the file was changed, replaced, removed or restored', async () => {
    const path = join(folder, 'changing');
    const hosts = new HostsFile(path);
    const address = () => hosts.findAddresses('shop')[0]?.address;
    expect(address()).toBeUndefined();
    await writeFile(path, '10.0.0.1 shop');
    expect(address()).toBe('10.0.0.1');
    await writeFile(path, '10.0.0.10 shop');
    expect(address()).toBe('10.0.0.10');
    await writeFile(`${path}.new`, '10.0.0.11 shop');
    await rename(`${path}.new`, path);
    expect(address()).toBe('10.0.0.11');
    await rm(path);
    expect(address()).toBeUndefined();
    await writeFile(path, '10.0.0.12 shop');
    expect(address()).toBe('10.0.0.12');
  });
});
