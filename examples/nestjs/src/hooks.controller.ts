import type { Gatehouse, WebhookHandler } from '@gatehouse/server';
import { GATEHOUSE } from '@gatehouse/server/nestjs';
import { Controller, Inject, Post, Req, Res, Sse, type MessageEvent } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ReplaySubject, type Observable } from 'rxjs';

/** Receives webhooks, and streams them to the page. */
@Controller()
export class HooksController {
  private readonly receive: WebhookHandler;
  /** The last ten messages. Anyone can read them, so they must not contain personal data. */
  private readonly received = new ReplaySubject<MessageEvent>(10);

  constructor(@Inject(GATEHOUSE) gatehouse: Gatehouse) {
    this.receive = gatehouse.webhook({
      'customer.created': ({ data }) => this.show(`create the records of ${data.customer.id}`),
      'customer.deleted': ({ data }) => this.show(`delete the records of ${data.customer.id}`),
    });
  }

  @Post('hooks')
  hooks(@Req() request: Request, @Res() response: Response) {
    return this.receive(request, response);
  }

  @Sse('received')
  listReceived(): Observable<MessageEvent> {
    return this.received;
  }

  private show(text: string): void {
    process.stdout.write(`${text}\n`);
    this.received.next({ data: text });
  }
}
