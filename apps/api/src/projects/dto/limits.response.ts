import { ApiProperty } from '@nestjs/swagger';
import { limitSettings, type ProjectLimits } from '@gatehouse/domain';

/** A member of the `limits` setting, with its default. */
const LimitProperty = (): PropertyDecorator => (target, name) => {
  const { description, fallback } = limitSettings[name as keyof ProjectLimits];
  ApiProperty({ type: 'integer', default: fallback, description })(target, name);
};

/** Limits on customer requests. A 429 response names the limit that was exceeded. */
export class LimitsResponse implements ProjectLimits {
  @LimitProperty() login!: number;
  @LimitProperty() register!: number;
  @LimitProperty() verify!: number;
  @LimitProperty() reset!: number;
  @LimitProperty() forgot!: number;
  @LimitProperty() resend!: number;
  @LimitProperty() refresh!: number;
  @LimitProperty() emailCode!: number;
  @LimitProperty() emailCodeVerify!: number;
  @LimitProperty() challenge!: number;
  @LimitProperty() reauthenticate!: number;
  @LimitProperty() passkey!: number;
  @LimitProperty() passkeyOptions!: number;
  @LimitProperty() oauth!: number;
  @LimitProperty() exchange!: number;
  @LimitProperty() options!: number;
  @LimitProperty() signInPage!: number;
  @LimitProperty() failedLogin!: number;
  @LimitProperty() wrongEmailCode!: number;
  @LimitProperty() failedSecondFactor!: number;
  @LimitProperty() failureWindow!: number;

  static from(limits: ProjectLimits): LimitsResponse {
    const names = Object.keys(limitSettings) as (keyof ProjectLimits)[];
    return Object.fromEntries(names.map((name) => [name, limits[name]])) as ProjectLimits;
  }
}
