import { limitSettings, type ProjectLimits } from '@gatehouse/domain';
import { IntegerField } from '../../http/input/fields.js';

/** A member of the `limits` setting, with its range. Null resets it to the default. */
const LimitField = (): PropertyDecorator => (target, name) => {
  const { description, fallback, min, max } = limitSettings[name as keyof ProjectLimits];
  const text = `${description}. Null means ${fallback}`;
  IntegerField({ description: text, optional: true, nullable: true, min, max })(target, name);
};

export class LimitsRequest implements Partial<Record<keyof ProjectLimits, number | null>> {
  @LimitField() login?: number | null;
  @LimitField() register?: number | null;
  @LimitField() verify?: number | null;
  @LimitField() reset?: number | null;
  @LimitField() forgot?: number | null;
  @LimitField() resend?: number | null;
  @LimitField() refresh?: number | null;
  @LimitField() emailCode?: number | null;
  @LimitField() emailCodeVerify?: number | null;
  @LimitField() challenge?: number | null;
  @LimitField() reauthenticate?: number | null;
  @LimitField() passkey?: number | null;
  @LimitField() passkeyOptions?: number | null;
  @LimitField() oauth?: number | null;
  @LimitField() exchange?: number | null;
  @LimitField() options?: number | null;
  @LimitField() signInPage?: number | null;
  @LimitField() failedLogin?: number | null;
  @LimitField() wrongEmailCode?: number | null;
  @LimitField() failedSecondFactor?: number | null;
  @LimitField() failureWindow?: number | null;
}
