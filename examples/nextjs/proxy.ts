export { gatehouseProxy as proxy } from '@gatehouse/nextjs';

export const config = { matcher: ['/((?!_next/static/[\\w/.-]+$|_next/image$|favicon\\.ico$).*)'] };
