import { auth } from '@gatehouse/nextjs';

export const POST = auth.route({ maxAge: '10m' }, (request, { customerId }) =>
  Response.json({ paidBy: customerId }),
);
