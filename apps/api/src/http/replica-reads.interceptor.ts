import {
  Injectable,
  SetMetadata,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Database } from '@gatehouse/persistence';
import { defer, lastValueFrom, type Observable } from 'rxjs';

const READS_FROM_REPLICA = Symbol('reads from replica');

/**
 * Makes a route read from the replica, if there is one. Suitable only for routes that change nothing and whose
 * responses may be seconds old. Neither an access decision nor a later change may depend on such a response.
 */
export const ReadsFromReplica = (): MethodDecorator => SetMetadata(READS_FROM_REPLICA, true);

/** Returns true for a handler with `@ReadsFromReplica()`. */
export const readsFromReplica = (handler: object): boolean =>
  Reflect.hasMetadata(READS_FROM_REPLICA, handler);

/**
 * Runs route handlers with `@ReadsFromReplica()` on the replica. The guards have already run on the primary.
 */
@Injectable()
export class ReplicaReadsInterceptor implements NestInterceptor {
  constructor(private readonly database: Database) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { replica } = this.database;
    if (!replica || !readsFromReplica(context.getHandler())) return next.handle();
    return defer(() => replica.read(() => lastValueFrom(next.handle(), { defaultValue: undefined })));
  }
}
