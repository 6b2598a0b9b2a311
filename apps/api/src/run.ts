import { runProcess } from '@gatehouse/platform';
import { createApi } from './api.js';

await runProcess('api', async (config, logger) => createApi(config, logger), { heapGrowingPercent: 100 });
