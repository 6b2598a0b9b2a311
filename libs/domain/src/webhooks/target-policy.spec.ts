import { hostLiteral, isAllowedAddress, targetUrlFault, type TargetPolicy } from './target-policy.js';

const production: TargetPolicy = { production: true, allowedCidrs: [] };
const development: TargetPolicy = { production: false, allowedCidrs: [] };
const withCidrs = (...allowedCidrs: string[]): TargetPolicy => ({ production: true, allowedCidrs });

const toPrivate = 'must not point to a private, local or reserved address';
const toLocalName = 'must use a public host name';
const notHttp = 'must be an absolute http or https URL';

/** IANA's special registries, and every disguise of an IPv4 address inside an IPv6 one. */
const refusedAddresses: [string, string][] = [
  ['this network', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['private', '10.0.0.1'],
  ['private', '10.255.255.255'],
  ['shared address space', '100.64.0.1'],
  ['shared address space, Alibaba metadata', '100.100.100.200'],
  ['link-local', '169.254.0.1'],
  ['cloud metadata', '169.254.169.254'],
  ['ECS task metadata', '169.254.170.2'],
  ['Azure platform', '168.63.129.16'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['protocol assignments', '192.0.0.1'],
  ['Oracle metadata', '192.0.0.192'],
  ['documentation', '192.0.2.1'],
  ['6to4 relay', '192.88.99.1'],
  ['private', '192.168.0.1'],
  ['benchmarking', '198.18.0.1'],
  ['benchmarking', '198.19.255.255'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['multicast', '224.0.0.1'],
  ['multicast', '239.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::'],
  ['IPv4-compatible loopback', '::127.0.0.1'],
  ['IPv4-compatible', '::8.8.8.8'],
  ['mapped loopback', '::ffff:127.0.0.1'],
  ['mapped loopback in hex', '::ffff:7f00:1'],
  ['mapped metadata', '::ffff:169.254.169.254'],
  ['mapped public', '::ffff:8.8.8.8'],
  ['translated loopback', '::ffff:0:127.0.0.1'],
  ['NAT64 of loopback', '64:ff9b::127.0.0.1'],
  ['NAT64 of metadata', '64:ff9b::a9fe:a9fe'],
  ['local NAT64', '64:ff9b:1::a9fe:a9fe'],
  ['6to4 of loopback', '2002:7f00:1::'],
  ['6to4 of a private address', '2002:c0a8:101::1'],
  ['Teredo', '2001:0:7f00:1::1'],
  ['benchmarking', '2001:2::1'],
  ['ORCHID', '2001:10::1'],
  ['ORCHIDv2', '2001:20::1'],
  ['documentation', '2001:db8::1'],
  ['documentation', '3fff::1'],
  ['discard', '100::1'],
  ['segment routing', '5f00::1'],
  ['unique local', 'fc00::1'],
  ['EC2 metadata', 'fd00:ec2::254'],
  ['GCE metadata', 'fd20:ce::254'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'],
  ['outside 2000::/3', '4000::1'],
];

const publicAddresses = [
  '8.8.8.8',
  '1.1.1.1',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.1',
  '172.32.0.1',
  '192.167.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
];

describe('isAllowedAddress', () => {
  it.each(refusedAddresses)('WH-03: %s is refused, in production and outside: %s', (_, address) => {
    expect(isAllowedAddress(address, production)).toBe(false);
    expect(isAllowedAddress(address, development)).toBe(false);
  });

  it.each(publicAddresses)('WH-03: %s is global unicast', (address) => {
    expect(isAllowedAddress(address, production)).toBe(true);
    expect(isAllowedAddress(address, development)).toBe(true);
  });

  it.each(['127.0.0.1', '127.255.255.254', '::1'])(
    'WH-03: loopback %s is open outside production only',
    (address) => {
      expect(isAllowedAddress(address, production)).toBe(false);
      expect(isAllowedAddress(address, development)).toBe(true);
    },
  );

  it.each([
    '',
    'localhost',
    'example.com',
    '256.1.1.1',
    '1.2.3.4.5',
    '::1::',
    '[::1]',
    '127.0.0.1:80',
    ' 8.8.8.8',
    'null',
  ])('WH-03: %j is no address, so nothing goes there', (text) => {
    expect(isAllowedAddress(text, development)).toBe(false);
  });

  it('WH-03: an opened range opens itself and nothing beside it', () => {
    const policy = withCidrs('10.1.0.0/16', 'fd12:3456::/32');
    expect(isAllowedAddress('10.1.255.255', policy)).toBe(true);
    expect(isAllowedAddress('fd12:3456::7', policy)).toBe(true);
    expect(isAllowedAddress('10.2.0.0', policy)).toBe(false);
    expect(isAllowedAddress('fd12:3457::7', policy)).toBe(false);
    expect(isAllowedAddress('127.0.0.1', policy)).toBe(false);
    expect(isAllowedAddress('::ffff:10.1.0.1', policy)).toBe(false);
  });

  it('WH-03: link-local is never open, not even by a range', () => {
    const policy = withCidrs('169.254.0.0/16', '0.0.0.0/0', 'fe80::/10');
    expect(isAllowedAddress('169.254.169.254', policy)).toBe(false);
    expect(isAllowedAddress('fe80::1', policy)).toBe(false);
  });

  it('WH-03: an opened ::/0 opens no IPv4 address in disguise', () => {
    for (const address of ['::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::'])
      expect(isAllowedAddress(address, withCidrs('::/0'))).toBe(false);
  });
});

/** WHATWG's parser reads all of these as an address. */
const notations: [string, string][] = [
  ['dotted decimal', 'https://127.0.0.1/'],
  ['one decimal number', 'https://2130706433/'],
  ['one hexadecimal number', 'https://0x7f000001/'],
  ['one octal number', 'https://017700000001/'],
  ['hexadecimal parts', 'https://0x7f.0x0.0x0.0x1/'],
  ['octal parts', 'https://0177.0.0.01/'],
  ['mixed parts', 'https://0x7f.0.0.01/'],
  ['two parts', 'https://127.1/'],
  ['three parts', 'https://127.0.1/'],
  ['the short zero', 'https://0/'],
  ['a trailing dot', 'https://127.0.0.1./'],
  ['full-width digits', 'https://１２７.０.０.１/'],
  ['circled digits', 'https://①②⑦.⓪.⓪.①/'],
  ['an ideographic full stop', 'https://127。0。0。1/'],
  ['percent-encoded digits', 'https://%31%32%37.0.0.1/'],
  ['upper-case hexadecimal', 'https://0X7F.1/'],
  ['another loopback', 'https://127.8.8.8/'],
  ['private', 'https://10.0.0.8/'],
  ['private in hexadecimal', 'https://0xa000008/'],
  ['private, short', 'https://10.8/'],
  ['private in octal', 'https://0300.0250.1.1/'],
  ['metadata', 'https://169.254.169.254/latest/meta-data/'],
  ['metadata in decimal', 'https://2852039166/'],
  ['metadata in hexadecimal', 'https://0xa9fea9fe/'],
  ['metadata in octal', 'https://0251.0376.0251.0376/'],
  ['metadata, mapped', 'https://[::ffff:169.254.169.254]/'],
  ['metadata, mapped, in hexadecimal', 'https://[::ffff:a9fe:a9fe]/'],
  ['metadata, NAT64', 'https://[64:ff9b::169.254.169.254]/'],
  ['metadata, 6to4', 'https://[2002:a9fe:a9fe::]/'],
  ['metadata of EC2 by IPv6', 'https://[fd00:ec2::254]/'],
  ['Azure platform', 'https://168.63.129.16/'],
  ['loopback by IPv6', 'https://[::1]/'],
  ['loopback by IPv6 in full', 'https://[0:0:0:0:0:0:0:1]/'],
  ['loopback, mapped', 'https://[::ffff:127.0.0.1]/'],
  ['loopback, compatible', 'https://[::127.0.0.1]/'],
  ['loopback, translated', 'https://[::ffff:0:127.0.0.1]/'],
  ['unspecified by IPv6', 'https://[::]/'],
  ['link-local by IPv6', 'https://[fe80::1]/'],
  ['unique local', 'https://[fc00::1]/'],
  ['documentation', 'https://[2001:db8::1]/'],
  ['broadcast', 'https://255.255.255.255/'],
  ['multicast', 'https://224.0.0.1/'],
  ['with a port', 'https://127.0.0.1:8443/'],
  ['one slash', 'https:/127.0.0.1/'],
];

describe('targetUrlFault', () => {
  it.each(notations)('WH-01: an address is seen through its notation: %s', (_, url) => {
    expect(targetUrlFault(url, production)).toBe(toPrivate);
  });

  it.each([
    ['localhost', 'https://localhost/'],
    ['localhost in capitals', 'https://LOCALHOST/'],
    ['localhost with a root dot', 'https://localhost./'],
    ['a name under localhost', 'https://app.localhost/'],
    ['a single label', 'https://redis/'],
    ['a single label with a root dot', 'https://postgres./'],
    ['.local', 'https://printer.local/'],
    ['.local with a root dot', 'https://printer.local./'],
    ['.internal', 'https://metadata.google.internal/'],
    ['.internal in capitals', 'https://METADATA.GOOGLE.INTERNAL/'],
    ['.internal by a full-width dot', 'https://metadata.google．internal/'],
    ['.home.arpa', 'https://nas.home.arpa/'],
  ])('WH-01: production refuses a name that is not public: %s', (_, url) => {
    expect(targetUrlFault(url, production)).toBe(toLocalName);
  });

  it.each([
    ['a user', 'https://user@example.com/'],
    ['a password', 'https://:pass@example.com/'],
    ['both', 'https://user:pass@example.com/'],
    ['a user that looks like the host', 'https://example.com@127.0.0.1/'],
    ['a user in percent signs', 'https://%75ser@example.com/'],
    ['an empty one', 'https://@example.com/'],
    ['an empty user and password', 'https://:@example.com/'],
    ['behind one slash', 'https:/user:pass@example.com/'],
    ['behind no slash', 'https:user:pass@example.com/'],
    ['behind three slashes', 'https:///user:pass@example.com/'],
  ])('WH-01: refuses userinfo: %s', (_, url) => {
    expect(targetUrlFault(url, production)).toBe('must not contain a user name or password');
  });

  it.each(['https://example.com\\@10.0.0.1/', 'https://10.0.0.1\\@example.com/'])(
    'WH-01: refuses a backslash, about which parsers disagree where the host ends: %s',
    (url) => {
      expect(targetUrlFault(url, production)).not.toBeNull();
      expect(targetUrlFault(url, development)).not.toBeNull();
    },
  );

  it.each([
    ['a leading blank', ' https://example.com/'],
    ['a trailing blank', 'https://example.com/ '],
    ['a blank in the path', 'https://example.com/a b'],
    ['a tab in the scheme', 'ht\ttps://example.com/'],
    ['a tab in an address', 'https://127.0.\t0.1/'],
    ['a carriage return', 'https://example.com/a\rb'],
    ['a line feed at the end', 'https://example.com/\n'],
    ['a no-break space', 'https://example.com/\u00a0'],
    ['backslashes for slashes', 'https:\\\\127.0.0.1\\'],
    ['a backslash in the path', 'https://example.com/a\\b'],
    ['a backslash in the query', 'https://example.com/?a\\b'],
  ])('WH-01: refuses white space and backslashes: %s', (_, url) => {
    const fault = 'must not contain white space or backslashes';
    expect(targetUrlFault(url, production)).toBe(fault);
    expect(targetUrlFault(url, development)).toBe(fault);
  });

  it.each(['https://example.com/#', 'https://example.com/hook#fragment', 'https://example.com#@127.0.0.1/'])(
    'WH-01: refuses a fragment: %s',
    (url) => {
      expect(targetUrlFault(url, production)).toBe('must not contain a fragment');
    },
  );

  it.each([
    '',
    'example.com',
    '//example.com/',
    '/hook',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'javascript:alert(1)',
    'data:text/plain,x',
    'ws://example.com/',
    'unix:/var/run/docker.sock',
    'http://',
    'https://?',
    'https://exa mple.com/',
    'https://[::1',
    'https://1.2.3.256/',
    'https://example.com:99999/',
    'https://[fe80::1%25eth0]/',
    'https://exam\0ple.com/',
    'null',
  ])('WH-01: %j is no http URL', (url) => {
    expect(targetUrlFault(url, production)).toBe(notHttp);
    expect(targetUrlFault(url, development)).toBe(notHttp);
  });

  it('WH-01: production wants https; elsewhere http will do', () => {
    expect(targetUrlFault('http://example.com/hook', production)).toBe('must use https');
    expect(targetUrlFault('http://example.com/hook', development)).toBeNull();
  });

  it('WH-01: takes 2,048 characters and no more', () => {
    const longest = `https://example.com/${'x'.repeat(2048 - 20)}`;
    expect(longest).toHaveLength(2048);
    expect(targetUrlFault(longest, production)).toBeNull();
    expect(targetUrlFault(`${longest}x`, production)).toBe('must be at most 2048 characters');
  });

  it.each([22, 25, 2375, 3306, 5432, 6379, 9200, 11211, 27017])(
    'WH-01: production refuses port %d of an internal service',
    (port) => {
      expect(targetUrlFault(`https://example.com:${port}/`, production)).toBe(
        'must not use a port of a known internal service',
      );
      expect(targetUrlFault(`http://example.com:${port}/`, development)).toBeNull();
    },
  );

  it.each(['https://8.8.8.8:6379/', 'https://[2606:4700:4700::1111]:5432/'])(
    'WH-01: production refuses the port of an internal service on an address too: %s',
    (url) => {
      expect(targetUrlFault(url, production)).toBe('must not use a port of a known internal service');
    },
  );
  it.each(['https://localhost../', 'https://metadata.google.internal../'])(
    'WH-01: production refuses more than one root dot: %s',
    (url) => {
      expect(targetUrlFault(url, production)).toBe(toLocalName);
    },
  );
  it.each([' https://example.com/', 'https://exam\nple.com/', 'https://exam\tple.com/'])(
    'WH-01: refuses what the parser would silently strip: %j',
    (url) => {
      expect(targetUrlFault(url, production)).not.toBeNull();
    },
  );

  it.each([
    'https://example.com/hook',
    'https://example.com/@ada?to=eve@example.com',
    'https://example.com:8443/hook?a=b',
    'https://example.com./hook',
    'https://münchen.de/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://local.example/',
    'https://internal.example.com/',
    'https://localhost.example.com/',
  ])('WH-01: production takes %s', (url) => {
    expect(targetUrlFault(url, production)).toBeNull();
  });

  it.each([
    'http://localhost:4000/hook',
    'http://127.0.0.1:4000/hook',
    'http://[::1]:4000/',
    'http://receiver:8080/',
    'http://127.1/',
  ])('WH-01: outside production %s is open', (url) => {
    expect(targetUrlFault(url, development)).toBeNull();
  });

  it.each([
    'http://169.254.169.254/',
    'http://10.0.0.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://0.0.0.0/',
    'http://192.168.1.1/',
  ])('WH-01: outside production %s stays closed', (url) => {
    expect(targetUrlFault(url, development)).toBe(toPrivate);
  });

  it('WH-01: an opened range is open as a literal too', () => {
    expect(targetUrlFault('https://10.1.2.3/', withCidrs('10.1.0.0/16'))).toBeNull();
    expect(targetUrlFault('https://10.2.2.3/', withCidrs('10.1.0.0/16'))).toBe(toPrivate);
  });
});

describe('hostLiteral', () => {
  it.each([
    ['8.8.8.8', '8.8.8.8'],
    ['[::1]', '::1'],
    ['::1', '::1'],
    ['example.com', null],
    ['', null],
    ['localhost', null],
  ])('of %j is %j', (hostname, literal) => {
    expect(hostLiteral(hostname)).toBe(literal);
  });
});
