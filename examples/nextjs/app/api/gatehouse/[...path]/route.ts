export { DELETE, GET, PATCH, POST } from '@gatehouse/nextjs';
