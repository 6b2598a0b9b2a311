import { checkRuntime } from './check-runtime.js';

describe('checkRuntime', () => {
  it.each([
    ['20.19.0', 'Node.js 20.19.0. Node.js 24 uses a third to half less CPU time per request'],
    ['24.0.0', 'Node.js 24.0.0'],
    ['26.1.0', 'Node.js 26.1.0'],
  ])('reports version %s', (version, message) => {
    expect(checkRuntime(version)).toEqual({ check: 'runtime', status: 'ok', message, fix: null });
  });
});
