import { createClient, localStorageStorage } from '@gatehouse/js';

export const client = createClient({
  url: import.meta.env.GATEHOUSE_URL,
  publishableKey: import.meta.env.GATEHOUSE_PUBLISHABLE_KEY,
  storage: localStorageStorage(),
});
