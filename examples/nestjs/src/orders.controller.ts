import type { AccessTokenClaims } from '@gatehouse/server';
import { Auth, Customer, CustomerGuard } from '@gatehouse/server/nestjs';
import { Controller, Get, Post, UseGuards } from '@nestjs/common';

/** The routes for signed-in customers. */
@Controller()
@UseGuards(CustomerGuard)
export class OrdersController {
  @Get('orders')
  list(@Customer() customer: AccessTokenClaims) {
    return { customerId: customer.sub, orders: ['Lamp', 'Ladder'] };
  }

  /** Requires a session with a second factor that was authenticated within the last ten minutes. */
  @Post('pay')
  @Auth({ mfa: true, maxAge: '10m' })
  pay(@Customer() customer: AccessTokenClaims) {
    return { paidBy: customer.sub };
  }
}
