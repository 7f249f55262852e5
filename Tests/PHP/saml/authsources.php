<?php

$config = [
    'users' => [
        'exampleauth:UserPass',
        'ada:engine' => [
            'uid' => ['u-1815'],
            'mail' => ['ada@example.com'],
            'givenName' => ['Ada'],
            'sn' => ['Lovelace'],
        ],
    ],
];
