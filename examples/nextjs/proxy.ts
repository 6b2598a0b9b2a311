export { gatehouseProxy as proxy } from '@gatehouse/nextjs';

export const config = { matcher: ['/((?!_next/static|_next/image|favicon.ico).*)'] };
