import { isOutdatedNode } from './outdated-node.js';

it('SC-01: reports Node.js below 24.22.1 and the end-of-life line 25 as outdated', () => {
  const outdated = [
    '18.20.8',
    '20.19.0',
    '22.99.99',
    '24.0.0',
    '24.9.9',
    '24.22.0',
    '25.9.0',
    '24.22.0-rc.1',
  ];
  const current = ['24.22.1', '24.22.10', '24.23.0', '24.100.0', '26.0.0', '28.1.0'];
  for (const version of outdated) expect([version, isOutdatedNode(version)]).toEqual([version, true]);
  for (const version of current) expect([version, isOutdatedNode(version)]).toEqual([version, false]);
});
