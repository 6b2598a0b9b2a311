import type { CreatedKey } from './api-key';
import { envFile } from './env-file';

const keyOf = (type: string, name: string, key: string) => ({ type, name, key }) as CreatedKey;
const project = { url: 'https://auth.example.com', projectId: 'p1' };

describe('envFile', () => {
  it('contains one variable for each key, with the names that the packages expect', () => {
    const keys = [
      keyOf('publishable', 'Web', 'pk_1'),
      keyOf('secret', 'Server', 'sk_1'),
      keyOf('secret', 'Order service!', 'sk_2'),
      keyOf('secret', 'Order service', 'sk_3'),
      keyOf('secret', '日本', 'sk_4'),
    ];
    expect(envFile(keys, { ...project, style: 'server' }).split('\n')).toEqual([
      'GATEHOUSE_URL=https://auth.example.com',
      'GATEHOUSE_PROJECT_ID=p1',
      'GATEHOUSE_PUBLISHABLE_KEY=pk_1',
      'GATEHOUSE_SECRET_KEY=sk_1',
      'GATEHOUSE_SECRET_KEY_ORDER_SERVICE=sk_2',
      'GATEHOUSE_SECRET_KEY_ORDER_SERVICE_2=sk_3',
      'GATEHOUSE_SECRET_KEY_KEY=sk_4',
      '',
    ]);
  });

  it('exposes the publishable key, but never a secret key, to builds with Vite', () => {
    const keys = [keyOf('secret', 'Server', 'sk_1'), keyOf('publishable', 'Web', 'pk_1')];
    expect(envFile(keys, { ...project, style: 'vite' }).split('\n')).toEqual([
      'VITE_GATEHOUSE_URL=https://auth.example.com',
      'GATEHOUSE_PROJECT_ID=p1',
      'GATEHOUSE_SECRET_KEY=sk_1',
      'VITE_PUBLISHABLE_KEY=pk_1',
      '',
    ]);
  });
});
