import { alertChannels, type AlertChannel } from '@gatehouse/domain';
import { OneOfField } from '../../http/input/fields.js';

export class TestAlertRequest {
  @OneOfField('Channel: `webhook` (ALERT_WEBHOOK_URL) or `email` (ALERT_EMAIL)', alertChannels, {
    optional: false,
  })
  channel!: AlertChannel;
}
