import { isPrivateHost } from './private-host.js';

describe('isPrivateHost', () => {
  it.each([
    ['localhost', true],
    ['gatehouse', true],
    ['api.gatehouse.svc.cluster.local', true],
    ['gatehouse.internal', true],
    ['127.0.0.1', true],
    ['10.1.2.3', true],
    ['172.16.0.1', true],
    ['172.32.0.1', false],
    ['100.64.0.1', true],
    ['100.128.0.1', false],
    ['192.168.1.1', true],
    ['192.169.1.1', false],
    ['[::1]', true],
    ['[fd00::1]', true],
    ['[2001:db8::1]', false],
    ['auth.example.com', false],
    ['localhost.example.com', false],
    ['fd.example.com', false],
  ])('returns whether %s is private: %s', (host, isPrivate) => {
    expect(isPrivateHost(host)).toBe(isPrivate);
  });
});
