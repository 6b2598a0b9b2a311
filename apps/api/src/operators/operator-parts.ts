import { OperatorAdmissionController } from './operator-admission.controller.js';
import { OperatorAdmission } from './operator-admission.service.js';
import { OperatorCheck } from './operator-check.service.js';
import { OperatorLinks } from './operator-links.service.js';
import { OperatorLogin } from './operator-login.service.js';
import { OperatorSessionController } from './operator-session.controller.js';
import { OperatorSessions } from './operator-sessions.service.js';
import { OperatorsController } from './operators.controller.js';
import { OperatorsService } from './operators.service.js';
import { SecondFactor } from './second-factor.service.js';

/** What the api is made of for operators and their sessions. */
export const operatorParts = {
  controllers: [OperatorAdmissionController, OperatorSessionController, OperatorsController],
  services: [
    OperatorAdmission,
    OperatorCheck,
    OperatorLinks,
    OperatorLogin,
    OperatorSessions,
    OperatorsService,
    SecondFactor,
  ],
};
