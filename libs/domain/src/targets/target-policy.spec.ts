import { splitWords } from '../../../../test/support/split-words.js';
import { hostIpLiteral, isAllowedAddress, targetUrlProblem, type TargetPolicy } from './target-policy.js';

const production: TargetPolicy = { production: true, allowedCidrs: [] };
const development: TargetPolicy = { production: false, allowedCidrs: [] };
const withCidrs = (...allowedCidrs: string[]): TargetPolicy => ({ production: true, allowedCidrs });

const privateAddressProblem = 'must not point to a private, local or reserved address';
const localNameProblem = 'must use a public host name';

/**
 * Addresses from the IANA special-purpose registries, cloud metadata addresses, and all forms of IPv4 addresses that
 * are embedded in IPv6 addresses.
 */
const blockedAddresses: Record<string, string> = {
  'this network': '0.0.0.0 0.1.2.3',
  private: '10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1',
  'shared address space': '100.64.0.1 100.100.100.200',
  'link-local': '169.254.0.1 169.254.169.254 169.254.170.2 fe80::1 fe80::1%eth0',
  'cloud metadata': '168.63.129.16 192.0.0.192 fd00:ec2::254 fd20:ce::254',
  'protocol assignments and relays': '192.0.0.1 192.88.99.1',
  documentation: '192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1',
  benchmarking: '198.18.0.1 198.19.255.255 2001:2::1',
  'multicast, reserved and broadcast': '224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 ff02::1',
  'unspecified and IPv4-compatible': ':: ::127.0.0.1 ::8.8.8.8',
  mapped: '::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:169.254.169.254 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1',
  NAT64: '64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::a9fe:a9fe',
  '6to4 and Teredo': '2002:7f00:1:: 2002:c0a8:101::1 2001:0:7f00:1::1',
  'ORCHID, discard and segment routing': '2001:10::1 2001:20::1 100::1 5f00::1',
  'unique and site-local': 'fc00::1 fec0::1',
  'outside 2000::/3': '4000::1',
};

describe('isAllowedAddress', () => {
  const expectAllowed = (list: string, policy: TargetPolicy, expected: string) =>
    expect(splitWords(list).filter((address) => isAllowedAddress(address, policy))).toEqual(
      expected === '' ? [] : splitWords(expected),
    );

  it.each(Object.entries(blockedAddresses))(
    'WH-03: rejects these addresses everywhere: %s',
    (_, addresses) => {
      expectAllowed(addresses, production, '');
      expectAllowed(addresses, development, '');
    },
  );

  it('WH-03: allows global unicast', () => {
    const addresses = `8.8.8.8 1.1.1.1 93.184.216.34 100.63.255.255 100.128.0.1 172.32.0.1 192.167.255.255
      2606:4700:4700::1111 2a00:1450:4001:81b::200e`;
    expectAllowed(addresses, production, addresses);
    expectAllowed(addresses, development, addresses);
  });

  it('WH-03: allows loopback outside production only', () => {
    const loopback = '127.0.0.1 127.255.255.254 ::1';
    expectAllowed(loopback, production, '');
    expectAllowed(loopback, development, loopback);
  });

  it('WH-03: rejects strings that are not addresses', () => {
    const texts = splitWords('localhost example.com 256.1.1.1 1.2.3.4.5 ::1:: [::1] 127.0.0.1:80 null');
    for (const text of ['', ' 8.8.8.8', ...texts]) expect(isAllowedAddress(text, development)).toBe(false);
  });

  it('WH-03: allows addresses in an allowed range, except link-local and embedded IPv4 ones', () => {
    expectAllowed(
      '10.1.255.255 fd12:3456::7 10.2.0.0 fd12:3457::7 127.0.0.1 ::ffff:10.1.0.1',
      withCidrs('10.1.0.0/16', 'fd12:3456::/32'),
      '10.1.255.255 fd12:3456::7',
    );
    expectAllowed('169.254.169.254 fe80::1', withCidrs('169.254.0.0/16', '0.0.0.0/0', 'fe80::/10'), '');
    expectAllowed('::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::', withCidrs('::/0'), '');
  });

  /**
   * Allowed ranges that contain the metadata addresses: entire address families, lists of ranges, and exact addresses.
   */
  const everything: Record<string, string[]> = {
    'allowed address families': ['0.0.0.0/0', '::/0'],
    'many allowed ranges': [
      ...Array.from({ length: 256 }, (_, index) => `${index}.0.0.0/8`),
      'fd00::/32',
      'fd12::/32',
    ],
    'exact allowed ranges': splitWords(
      '169.254.169.254/32 100.100.100.200/32 168.63.129.16/32 fd00:ec2::254/128',
    ),
  };
  it.each(Object.entries(everything))(
    'OP-06: rejects metadata addresses even if they are in %s',
    (_, cidrs) => {
      for (const production of [true, false]) {
        const policy = { production, allowedCidrs: [...cidrs, '10.1.0.0/16'] };
        expectAllowed(
          `169.254.0.1 169.254.169.254 169.254.170.2 100.100.100.200 168.63.129.16 192.0.0.192 fd00:ec2::254
          fd00:ec2::254%eth0 fd00:ec2::23 fd00:0ec2:0::0:254 fe80::a9fe:a9fe fd20:ce::254 fd00:42::42`,
          policy,
          '',
        );
        // Mapped, IPv4-compatible, NAT64 (with the prefixes of RFC 6052, RFC 8215 and a private network), and 6to4.
        expectAllowed(
          `::ffff:100.100.100.200 ::ffff:6464:64c8 ::169.254.169.254 ::a9fe:a9fe ::ffff:0:168.63.129.16
          64:ff9b::a9fe:a9fe 64:ff9b::100.100.100.200 64:ff9b:1::a9fe:a9fe fd12::a9fe:a9fe fd12::168.63.129.16
          2001:4860:64::6464:64c8 2002:6464:64c8::`,
          policy,
          '',
        );
        expectAllowed('10.1.2.3 8.8.8.8', policy, '10.1.2.3 8.8.8.8');
      }
    },
  );

  it('OP-06: rejects a metadata address at every NAT64 prefix length', () => {
    // 169.254.169.254 after a prefix of 32, 40, 48, 56, 64 and 96 bits, in a private and a public network.
    const embedded = `fd12:3456:a9fe:a9fe:: fd12:3456:12a9:fea9:fe:: fd12:3456:1234:a9fe:a9:fe00::
      fd12:3456:1234:12a9:fe:a9fe:: fd12:3456:1234:5678:a9:fea9:fe00:: fd12:3456:1234:5678::a9fe:a9fe`;
    const metadata = `${embedded} ${embedded.replaceAll('fd12:3456', '2001:4860')} 2001:4860::c000:c0`;
    const others = 'fd12:3456:1234:5678:a9:fea9:fd00:: 2001:4860:4860::8888';
    expectAllowed(`${metadata} ${others}`, withCidrs('fd12:3456::/32'), others);
  });
});

describe('targetUrlProblem', () => {
  /** Expects the same problem for each URL, or null if it is accepted. */
  const expectProblem = (problem: string | null, urls: string[], ...policies: TargetPolicy[]) => {
    const isOther = (policy: TargetPolicy) => (url: string) => targetUrlProblem(url, policy) !== problem;
    expect(policies.flatMap((policy) => urls.filter(isOther(policy)))).toEqual([]);
  };

  /** Notations that the WHATWG parser converts to an IP address. */
  const notations: Record<string, string> = {
    loopback: `127.0.0.1 2130706433 0x7f000001 017700000001 0x7f.0x0.0x0.0x1 0177.0.0.01 0x7f.0.0.01 127.1 127.0.1
      0 127.0.0.1. 0X7F.1 127.8.8.8 127.0.0.1:8443`,
    'loopback with non-ASCII or encoded characters': '１２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 %31%32%37.0.0.1',
    private: '10.0.0.8 0xa000008 10.8 0300.0250.1.1',
    metadata: '169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 168.63.129.16',
    'metadata in IPv6': `[::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [64:ff9b::169.254.169.254] [2002:a9fe:a9fe::]
      [fd00:ec2::254]`,
    'loopback in IPv6': `[::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::127.0.0.1] [::ffff:0:127.0.0.1] [::]`,
    reserved: '[fe80::1] [fc00::1] [2001:db8::1] 255.255.255.255 224.0.0.1',
  };
  it.each(Object.entries(notations))('WH-01: recognizes an address in any notation: %s', (_, hosts) => {
    expectProblem(
      privateAddressProblem,
      splitWords(hosts).map((host) => `https://${host}/`),
      production,
    );
  });

  const hosts = `localhost LOCALHOST localhost. localhost.. app.localhost redis postgres. printer.local printer.local.
    metadata.google.internal metadata.google.internal.. METADATA.GOOGLE.INTERNAL metadata.google．internal
    nas.home.arpa`;
  const credentials = `user@example.com :pass@example.com user:pass@example.com example.com@127.0.0.1
    %75ser@example.com @example.com :@example.com`;
  const ports = splitWords('22 25 2375 3306 5432 6379 9200 11211 27017');
  it.each([
    [privateAddressProblem, ['https:/127.0.0.1/']],
    [localNameProblem, splitWords(hosts).map((host) => `https://${host}/`)],
    [
      'must not contain a user name or password',
      [
        ...splitWords(credentials).map((host) => `https://${host}/`),
        ...splitWords(
          'https:/user:pass@example.com/ https:user:pass@example.com/ https:///user:pass@example.com/',
        ),
      ],
    ],
    [
      'must not contain a fragment',
      splitWords('https://example.com/# https://example.com/hook#fragment https://example.com#@127.0.0.1/'),
    ],
    [
      'must not use a port of a known internal service',
      [
        ...ports.map((port) => `https://example.com:${port}/`),
        ...splitWords('https://8.8.8.8:6379/ https://[2606:4700:4700::1111]:5432/'),
      ],
    ],
    ['must use https', ['http://example.com/hook']],
  ])('WH-01: rejects in production: %s', (problem, urls) => expectProblem(problem, urls, production));

  const beforePath = [' https://example.com/', 'ht\ttps://example.com/', 'https://127.0.\t0.1/'];
  const afterHost = [' ', '\n', '\u00a0', 'a b', 'a\rb', 'a\\b', '?a\\b'];
  const backslashes = [
    'https:\\\\127.0.0.1\\',
    'https://example.com\\@10.0.0.1/',
    'https://10.0.0.1\\@example.com/',
  ];
  const malformed = `example.com //example.com/ /hook ftp://example.com/ file:///etc/passwd gopher://example.com/
    javascript:alert(1) data:text/plain,x ws://example.com/ unix:/var/run/docker.sock http:// https://? https://[::1
    https://1.2.3.256/ https://example.com:99999/ https://[fe80::1%25eth0]/ null`;
  it.each([
    [
      'must not contain whitespace or backslashes',
      [...beforePath, ...backslashes.slice(0, 1), ...afterHost.map((end) => `https://example.com/${end}`)],
    ],
    [
      'must be an absolute http or https URL',
      ['', 'https://exa mple.com/', 'https://exam\0ple.com/', ...splitWords(malformed)],
    ],
  ])('WH-01: rejects everywhere: %s', (problem, urls) =>
    expectProblem(problem, urls, production, development),
  );

  it('WH-01: rejects characters that parsers interpret differently or remove silently', () => {
    const urls = [...backslashes, ...beforePath, 'https://exam\nple.com/', 'https://exam\tple.com/'];
    for (const policy of [production, development])
      expect(urls.filter((url) => targetUrlProblem(url, policy) === null)).toEqual([]);
  });

  it('WH-01: accepts at most 2,048 characters', () => {
    const longest = `https://example.com/${'x'.repeat(2048 - 20)}`;
    expect(longest).toHaveLength(2048);
    expectProblem(null, [longest], production);
    expectProblem('must be at most 2048 characters', [`${longest}x`], production);
  });

  it('WH-01: accepts public https URLs in production', () => {
    const urls = `https://example.com/hook https://example.com/@ada?to=eve@example.com https://münchen.de/
      https://example.com:8443/hook?a=b https://example.com./hook https://8.8.8.8/ https://[2606:4700:4700::1111]/
      https://local.example/ https://internal.example.com/ https://localhost.example.com/`;
    expectProblem(null, splitWords(urls), production);
  });

  it('WH-01: accepts http, loopback, local network names and ports outside production', () => {
    const urls = `http://example.com/hook http://localhost:4000/hook http://127.0.0.1:4000/hook http://[::1]:4000/
      http://receiver:8080/ http://127.1/`;
    expectProblem(
      null,
      [...splitWords(urls), ...ports.map((port) => `http://example.com:${port}/`)],
      development,
    );
  });

  it('WH-01: rejects private addresses outside production, unless their range is allowed', () => {
    const urls =
      'http://169.254.169.254/ http://10.0.0.1/ http://[::ffff:127.0.0.1]/ http://0.0.0.0/ http://192.168.1.1/';
    expectProblem(privateAddressProblem, splitWords(urls), development);
    expectProblem(null, ['https://10.1.2.3/'], withCidrs('10.1.0.0/16'));
    expectProblem(privateAddressProblem, ['https://10.2.2.3/'], withCidrs('10.1.0.0/16'));
  });

  it('OP-06: rejects a metadata address in every notation despite an allowed range', () => {
    const hosts = `100.100.100.200 1684301000 0x646464c8 0144.0144.0144.0310 0x64.100.0144.200 100.100.25800 169.254.43518
      0xa83f8110 168.63.33040 [fd00:ec2::254] [fd00:ec2:0:0:0:0:0:254] [FD00:0EC2::0254] [::ffff:100.100.100.200]
      [64:ff9b::6464:64c8] １００.１００.１００.２００`;
    expectProblem(
      privateAddressProblem,
      splitWords(hosts).map((host) => `https://${host}/`),
      withCidrs('0.0.0.0/0', '::/0', '100.0.0.0/8', '168.0.0.0/8', 'fd00:ec2::/32'),
    );
  });
});

describe('hostIpLiteral', () => {
  it('returns the IP address in a host name, or null', () => {
    const hosts = ['8.8.8.8', '[::1]', '::1', 'example.com', '', 'localhost'];
    expect(hosts.map(hostIpLiteral)).toEqual(['8.8.8.8', '::1', '::1', null, null, null]);
  });
});
